"""The error of a call whose words do not fit its command: what is wrong, and the call or the list that leads on."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.parameters import LISTED_BY, metavar
from agentmail.verbs.whole_call import shell_word

#: Commands whose words are the parts of a message; their errors end with the whole call (filled_call.py).
SENDING = ("send", "reply", "delegate")


def misused(grammar: Grammar, words: list[str], extra: list[str]) -> Refused:
    """Which words are too many, with the call without them; or which the call lacks, with the command that lists them."""
    usage = f"usage: agentmail {grammar.command} {grammar.usage}".strip()
    if extra:
        what = f"one word too many for {grammar.command}: {names.quoted(extra[0])}"
        right = fitting_call(grammar, words[: len(words) - len(extra)], extra)
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


def fitting_call(grammar: Grammar, words: list[str], extra: list[str]) -> str:
    """The call with the words that fit; empty where there is none to propose."""
    if grammar.command in SENDING:
        return ""
    seconds = extra[0] if "timeout" in grammar.options and names.DIGITS_ONLY.issuperset(extra[0]) else ""
    call = [
        "agentmail",
        grammar.command,
        *map(names.printable, words),
        *(["--timeout", seconds] if seconds else []),
    ]
    return f"`{' '.join(map(shell_word, call))}`"


def without_the_identity(grammar: Grammar, argv: list[str]) -> str:
    """The call without a first word that no identity can be: a reserved word such as `inbox`, or a number."""
    first, rest = (argv[0], argv[1:]) if argv else ("", [])
    number = bool(first) and names.DIGITS_ONLY.issuperset(first)
    if not grammar.has_me or not (number or first in names.RESERVED):
        return ""
    if number and "timeout" in grammar.options:
        rest = [*rest, "--timeout", first]
    if not fits(grammar, rest):
        return ""
    call = ["agentmail", grammar.command, *map(names.printable, rest)]
    return f"for your own identity: `{' '.join(map(shell_word, call))}`"


def without_unknown_options(grammar: Grammar, argv: list[str]) -> str:
    """The call without the options that the command does not have; else the command that lists what it needs."""
    if grammar.command == "register":
        return ""
    for values in (True, False):
        words = _known(grammar, argv, values)
        if fits(grammar, words) and words != argv:
            call = ["agentmail", grammar.command, *map(names.printable, words)]
            return f"without it: `{' '.join(map(shell_word, call))}`"
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
        elif values and left and left[0][:1] != "-" and arg not in WORD_OPTIONS:
            del left[0]
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
    call = ["agentmail", grammar.command, me, *map(names.printable, argv)]
    return f"if that is a message or a thread: `{' '.join(map(shell_word, call))}`"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.parse import Grammar
