"""The error of a call whose words do not fit its command: what is wrong, and the call or the list that leads on."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.parameters import LISTED_BY, metavar
from agentmail.verbs.whole_call import shell_word

#: Commands whose words are the parts of a message; their errors end with the whole call, see whole_call.py.
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
    understood = grammar.parse(rest)
    try:
        if understood is None or (not rest and any(word.required for word in grammar.words[1:])):
            return ""
        grammar.bind(*understood)
    except Refused:
        return ""
    call = ["agentmail", grammar.command, *map(names.printable, rest)]
    return f"for your own identity: `{' '.join(map(shell_word, call))}`"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.parse import Grammar
