"""Completes the error of a wrong call: it ends with the right call, filled in with what was given."""

from __future__ import annotations

from agentmail.cli.misuse import SENDING, without_the_identity
from agentmail.cli.whole_register import UNFILLED, registering

#: How errors say that a word can be no identity.
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
        from agentmail.cli.whole_call import ending

        added = ending(context, argv, error)
    elif command == "register" and error.exit_code == 2 and error.next_step.startswith("usage"):
        added = f"the whole call: {registering(context, argv[1:])}"
    elif command in VERBS and any(text in error.what for text in NO_IDENTITY):
        from agentmail.cli.commands import Command

        added = without_the_identity(Command(command).grammar, argv[1:])
    error.next_step = "; ".join(filter(None, (error.next_step, added)))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.core.errors import AgentMailError
