"""The call that does what a guessed command means, with the caller's own words where they fit."""

from __future__ import annotations

from agentmail.cli.commands import Command
from agentmail.cli.wrong_calls.guesses import (
    ACTING,
    COMMANDS,
    GROUPS,
    LIST_WITHOUT_WORDS,
    NO_MESSAGE,
    OF_ONE,
    PASSED_ON,
    TO_EVERYBODY,
)
from agentmail.cli.wrong_calls.misuse import SENDING, fits, listed_by, with_hosts
from agentmail.cli.wrong_calls.people import People
from agentmail.core import names
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.whole_call import shell_word

#: Names of a verb's words that are messages or threads.
MESSAGES = ("id", "ids", "thread")


def other_than_a_command(context: Context, name: str, rest: list[str]) -> str:
    """What to do where a guess is more than another name of a command; empty where it is not."""
    from agentmail.cli.wrong_calls.filled_call import passing_on, proposed

    if name in TO_EVERYBODY:
        return f"use {proposed(context, Command('send'), ['--to', '@all', *rest])}"
    if name in PASSED_ON:
        return passing_on(context, rest)
    if name in LIST_WITHOUT_WORDS and not rest:
        return "use `agentmail check`"
    if name in ACTING and len(rest) <= 1:
        people = People(context)
        meant = rest[0] if rest else people.me
        if meant and meant == people.me:
            return f"use `agentmail whoami`: you are {meant} here"
        if meant in people.known:
            return f"{meant} is registered; `export AGENT_MAIL_SELF={meant}` makes this shell act as it"
    return ""


def joined(name: str, rest: list[str]) -> tuple[str, list[str]]:
    """The guess of several words, such as `who am i` or `mark read ID`, and the words after it; else as it came.

    A call in one pair of quotes is several words.
    """
    name, *more = name.split() or [""]
    rest = [*more, *rest]
    for count in (2, 1):
        longer = "-".join([name, *(word.lower() for word in rest[:count])])
        if longer in COMMANDS:
            return longer, rest[count:]
    return name, rest


def behind_a_word(context: Context, name: str, rest: list[str]) -> list[str]:
    """The call of a command that stands behind a word: `mail check` is `check`, `alpha check` is `check alpha`."""
    command = rest[0] if rest else ""
    if name in GROUPS:
        command = COMMANDS.get(command, command)
    if command not in VERBS:
        return []
    known = People(context).known
    if rest[0] in known or not (name in GROUPS or name in known):
        return []
    return [command, *([name] if name in known else []), *rest[1:]]


def call_of(context: Context, name: str, rest: list[str]) -> str:
    """A command with the caller's words where they fit; without them where it needs none; else its usage."""
    from agentmail.cli.wrong_calls.filled_call import proposed
    from agentmail.cli.wrong_calls.filled_register import registering

    if name in OF_ONE and rest and rest[0][:1] != "-" and rest[0] not in People(context).known:
        name = OF_ONE[name] if names.is_stamped(rest[0]) or name == "threads" else name
    if name in ("wire", "unwire"):
        rest = with_hosts(rest)
    command = Command(name)
    if name in SENDING:
        return proposed(context, command, rest)
    if name == "register":
        return registering(context, rest)
    understood = fits(command.grammar, rest) and not _names_no_message(command, rest)
    if not understood and any(word.required for word in command.grammar.words[command.grammar.has_me :]):
        usage = f"agentmail {name} {command.grammar.usage}"
        return "; ".join(filter(None, (usage, listed_by(command.grammar))))
    words = [names.printable(word) for word in rest] if understood else []
    return f"`{' '.join(map(shell_word, ['agentmail', name, *words]))}`"


def _names_no_message(command: Command, rest: list[str]) -> bool:
    """True where the command needs a message or a thread, and the last word can be neither."""
    wanted = command.grammar.words[-1:]
    if not rest or not wanted or wanted[0].name not in MESSAGES:
        return False
    return rest[-1] in NO_MESSAGE or names.DIGITS_ONLY.issuperset(rest[-1])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
