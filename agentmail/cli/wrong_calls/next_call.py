"""Completes the error of a wrong call: it ends with the right call, filled in with what was given."""

from __future__ import annotations

from agentmail.cli.wrong_calls.filled_register import UNFILLED, registering
from agentmail.cli.wrong_calls.guesses import OF_ONE
from agentmail.cli.wrong_calls.misuse import SENDING, with_the_identity, without_the_identity
from agentmail.core import names

#: How errors say that a word can be no identity.
UNKNOWN = 3
NO_IDENTITY = (" is not an identity", " is a reserved name")


def complete(context: Context, argv: list[str], error: AgentMailError) -> None:
    """Add the call to the next step, and fill in a call of `register` there."""
    from agentmail.verbs.catalogue import VERBS

    command = argv[0] if argv else ""
    if UNFILLED in error.next_step:
        call = registering(context, argv[1:] if command == "register" else [])
        error.next_step = error.next_step.replace(UNFILLED, call)
    added = ""
    if command in SENDING:
        from agentmail.cli.wrong_calls.filled_call import ending

        added = ending(context, argv, error)
    elif command == "register" and error.exit_code == 2 and error.next_step.startswith("usage"):
        added = f"the whole call: {registering(context, argv[1:])}"
    elif command in OF_ONE and len(argv) > 1 and names_one_thing(command, argv[1], error):
        added = f"`agentmail {OF_ONE[command]} {argv[1]}` prints that one"
    elif command in VERBS and any(text in error.what for text in NO_IDENTITY):
        from agentmail.cli.commands import Command

        added = without_the_identity(Command(command).grammar, argv[1:])
    elif command in VERBS and error.exit_code == UNKNOWN and error.details.get("near") == []:
        from agentmail.cli.commands import Command
        from agentmail.cli.wrong_calls.people import People

        added = with_the_identity(Command(command).grammar, argv[1:], People(context).me)
    error.next_step = "; ".join(filter(None, (error.next_step, added)))


def names_one_thing(command: str, word: str, error: AgentMailError) -> bool:
    """True where a command that lists was given a message or a thread in the place of an identity."""
    wrong = error.exit_code == UNKNOWN or any(text in error.what for text in NO_IDENTITY)
    if not wrong or error.details.get("near") or not names.is_id(word):
        return False
    return names.is_stamped(word) or command == "threads"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.core.errors import AgentMailError
