"""Completes the error of a wrong call: it ends with the right call, filled in with what was given."""

from __future__ import annotations

from agentmail.cli.wrong_calls.filled_register import UNFILLED, registering
from agentmail.cli.wrong_calls.guesses import OF_ONE
from agentmail.cli.wrong_calls.misuse import (
    SENDING,
    call,
    for_yourself,
    with_hosts,
    with_the_identity,
    without_the_identity,
)
from agentmail.core import names
from agentmail.verbs.catalogue import VERBS

NOT_FOUND, REFUSED, UNKNOWN = 1, 2, 3
VARIABLE = "AGENT_MAIL_SELF says so: set it to one of these, or `unset AGENT_MAIL_SELF`"
#: How errors say that a word can be no identity.
NO_IDENTITY = (" is not an identity", " is a reserved name")


def complete(context: Context, argv: list[str], error: AgentMailError) -> None:
    """Add the call to the next step, and fill in a call of `register` there."""
    command = argv[0] if argv else ""
    nobody_is_there = UNFILLED in error.next_step
    if nobody_is_there:
        filled = registering(context, argv[1:] if command == "register" else [])
        error.next_step = error.next_step.replace(UNFILLED, filled)
    added = ""
    if command in SENDING:
        from agentmail.cli.wrong_calls.filled_call import ending

        added = ending(context, argv, error)
    elif command == "register" and error.exit_code == REFUSED and error.next_step.startswith("usage"):
        added = f"the whole call: {registering(context, argv[1:])}"
    elif nobody_is_there:
        return
    elif command in OF_ONE and len(argv) > 1 and names_one_thing(command, argv[1], error):
        added = f"`agentmail {OF_ONE[command]} {argv[1]}` prints that one"
    elif command in ("wire", "unwire") and error.details.get("near"):
        error.next_step = f"use {call(command, *with_hosts(argv[1:]))}"
    elif command in VERBS:
        added = for_an_identity(context, argv, error)
    error.next_step = "; ".join(filter(None, (error.next_step, added)))


def for_an_identity(context: Context, argv: list[str], error: AgentMailError) -> str:
    """The call for the caller's own identity, where the word in its place is none, or is another's."""
    from agentmail.cli.commands import Command
    from agentmail.cli.wrong_calls.people import People

    grammar, words = Command(argv[0]).grammar, argv[1:]
    if any(text in error.what for text in NO_IDENTITY):
        return without_the_identity(grammar, words)
    if not grammar.has_me:
        return ""
    people = People(context)
    if error.exit_code == UNKNOWN and error.details.get("near") == []:
        if people.me not in people.known:
            return VARIABLE if people.me and people.me not in words else ""
        return with_the_identity(grammar, words, people.me) or for_yourself(grammar, words[1:])
    is_of_another = len(words) > 1 and words[0] != people.me and words[0] in people.known
    if is_of_another and error.exit_code == NOT_FOUND and all(map(people.has_message, words[1:])):
        return for_yourself(grammar, words[1:])
    return ""


def names_one_thing(command: str, word: str, error: AgentMailError) -> bool:
    """True where a command that lists was given a message or a thread in the place of an identity."""
    wrong = "near" in error.details or any(text in error.what for text in NO_IDENTITY)
    if not wrong or error.details.get("near") or not names.is_id(word):
        return False
    return names.is_stamped(word) or command == "threads"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.core.errors import AgentMailError
