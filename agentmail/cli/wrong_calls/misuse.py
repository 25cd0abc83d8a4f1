"""The error of a call whose words do not fit its command: what is wrong, and the call or the list that leads on."""

from __future__ import annotations

from agentmail.cli.parse import FLAG, flag_of
from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.parameters import LISTED_BY, metavar
from agentmail.verbs.whole_call import shell_word

#: Commands whose words are the parts of a message; their errors end with the whole call (filled_call.py).
SENDING = ("send", "reply", "delegate")
#: The second words of Claude Code and Gemini CLI.
PARTS_OF_NAMES = ("code", "cli")
#: Conditions of a search, which a caller may take for options.
SEARCHED_FOR = ("from", "to", "thread", "in", "kind", "after", "before")


def misused(grammar: Grammar, words: list[str], extra: list[str], options: Mapping[str, Value]) -> Refused:
    """Which words are too many, with the call without them; or which the call lacks, with the command that lists them."""
    usage = f"usage: agentmail {grammar.command} {grammar.usage}".strip()
    if extra:
        what = f"one word too many for {grammar.command}: {names.quoted(extra[0])}"
        right = fitting_call(grammar, words[: len(words) - len(extra)], extra, options)
        shown = (usage, right) if grammar.words else (f"use {right}",)
        return Refused(what, names.NOTHING_CHANGED, "; ".join(filter(None, shown)))
    given = f", and got {' '.join(map(names.quoted, words[:4]))}" if words else ""
    what = f"too few words for {grammar.command}: it needs {needed(grammar)}{given}"
    return Refused(what, names.NOTHING_CHANGED, "; ".join(filter(None, (usage, listed_by(grammar)))))


def needed(grammar: Grammar) -> str:
    """The words that a call must have."""
    required = [word for word in grammar.words if word.required and word.kind != "me"]
    return " ".join(f"<{metavar(grammar.command, word.name)}>" for word in required)


def listed_by(grammar: Grammar) -> str:
    """The command that lists what the command needs; empty where it needs nothing that is listed."""
    if grammar.command in ("send", "delegate", "register"):
        return ""
    needs = (word.name for word in grammar.words if word.required and word.kind != "me")
    name = next(needs, "")
    return LISTED_BY.get(f"{grammar.command}.{name}") or LISTED_BY.get(name, "")


def fitting_call(grammar: Grammar, words: list[str], extra: list[str], options: Mapping[str, Value]) -> str:
    """The call with the words that fit and the options; empty where there is none to propose."""
    if grammar.command in SENDING:
        return ""
    given = {**options, **_meant_as_option(grammar, extra[0])}
    return call(grammar.command, *words, *_typed(given))


def _meant_as_option(grammar: Grammar, word: str) -> dict[str, Value]:
    """The option that a word too many stands for: a flag without its dashes, or a number of seconds."""
    if grammar.options.get(word.replace("-", "_")) == FLAG:
        return {word.replace("-", "_"): True}
    if "timeout" in grammar.options and names.DIGITS_ONLY.issuperset(word):
        return {"timeout": word}
    return {}


def _typed(options: Mapping[str, Value]) -> list[str]:
    """Options as they are typed."""
    found: list[str] = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            found += [flag_of(name)] if one is True else [flag_of(name), str(one)]
    return found


def call(*words: str) -> str:
    """A call in backticks."""
    return f"`{' '.join(map(shell_word, ['agentmail', *map(names.printable, words)]))}`"


def without_the_identity(grammar: Grammar, argv: list[str]) -> str:
    """The call without a first word that no identity can be: a reserved word such as `inbox`, or a number."""
    first, rest = (argv[0], argv[1:]) if argv else ("", [])
    number = bool(first) and names.DIGITS_ONLY.issuperset(first)
    if not grammar.has_me or not (number or first in names.RESERVED):
        return ""
    if number and "timeout" in grammar.options:
        rest = [*rest, "--timeout", first]
    return for_yourself(grammar, rest)


def for_yourself(grammar: Grammar, argv: list[str]) -> str:
    """The call for the caller's own identity, which need not be named; empty where the words do not fit."""
    return f"for your own identity: {call(grammar.command, *argv)}" if fits(grammar, argv) else ""


def without_unknown_options(grammar: Grammar, argv: list[str]) -> str:
    """The call without the options that the command does not have; else the command that lists what it needs."""
    if grammar.command == "register":
        return ""
    for values in (True, False):
        words = _known(grammar, argv, values)
        if grammar.command in ("wire", "unwire"):
            words = with_hosts(words)
        if fits(grammar, words) and words != argv:
            lead = "without it:" if set(words) <= set(argv) else "use"
            return f"{lead} {call(grammar.command, *words)}"
    return listed_by(grammar)


def _known(grammar: Grammar, argv: list[str], values: bool) -> list[str]:
    """The words and options that the command has; with `values`, without the word after an option that it lacks."""
    from agentmail.cli.wrong_calls.guesses import WORD_OPTIONS

    found: list[str] = []
    left = list(argv)
    while left:
        arg = left.pop(0)
        if arg[:1] != "-" or arg == "-" or grammar.option_of(arg.partition("=")[0]):
            found.append(arg)
        elif grammar.command == "search" and (condition := _as_condition(arg, left)):
            found.append(condition)
        elif values and left and left[0][:1] != "-" and arg not in WORD_OPTIONS:
            del left[0]
    return found


def _as_condition(arg: str, left: list[str]) -> str:
    """The condition of a search that was given as an option, with its value, which is taken; else empty."""
    name, equals, value = arg.lstrip("-").partition("=")
    if name not in SEARCHED_FOR or not (equals or left):
        return ""
    return f"{name}:{value if equals else left.pop(0)}"


def with_hosts(argv: list[str]) -> list[str]:
    """The words of `wire` or `unwire` with the names of hosts as they are; a word that is near none is left out."""
    from agentmail.hosts import HOSTS

    known = [host for host, *_ in HOSTS]
    found: list[str] = []
    for arg in argv:
        is_value = found[-1:] == ["--project"]
        if is_value or arg[:1] == "-" or arg in known:
            found.append(arg)
        elif arg.lower() not in PARTS_OF_NAMES:
            found += names.near(arg.lower(), known)[:1]
    return found


def fits(grammar: Grammar, argv: list[str]) -> bool:
    """True for a call that the command understands."""
    understood = grammar.parse(argv)
    try:
        return understood is not None and bool(grammar.bind(*understood) or True)
    except Refused:
        return False


def with_the_identity(grammar: Grammar, argv: list[str], me: str) -> str:
    """The call with the caller's identity before a word that may be a thread; empty where there is none."""
    if not me or not grammar.has_me or not fits(grammar, [me, *argv]):
        return ""
    return f"if that is a message or a thread: {call(grammar.command, me, *argv)}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.cli.parse import Grammar, Value
