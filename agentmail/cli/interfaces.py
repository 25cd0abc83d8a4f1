"""Commands that are interfaces of their own: each serves the verbs in another way, until its client ends.

Why loaded by name: interfaces are beside each other, and none imports another one. They get what they need of this one
as an object.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

#: Name -> module and function, what it does in a line, and what else there is to say.
INTERFACES = {
    "mcp": (
        "agentmail.mcp.server:serve",
        "Serve the mail as tools of an agent host: MCP on standard input and output.",
        ("A host starts it; docs/mcp.md says for each host how it is added.",),
    ),
}


def serve_until_end(context: Context, argv: list[str]) -> int:
    """Serve until the client ends, or print the help."""
    name, *rest = argv
    place, summary, more = INTERFACES[name]
    if rest and rest[0] in ("-h", "--help"):
        context.output.answer([f"Usage: agentmail {name}", summary, *more])
        return 0
    if rest:
        raise Refused(
            f"{name} takes no words and no options", names.NOTHING_CHANGED, f"usage: agentmail {name}"
        )
    import os

    if os.isatty(0):
        context.output.say("note: this speaks with a program on standard input; Ctrl-D ends it")
    from agentmail.cli.command_texts import CommandTexts

    module, _, function = place.partition(":")
    serve = getattr(__import__(module, fromlist=[function]), function)
    # The connection alone writes to standard output: whatever else might print goes to the diagnostics.
    outgoing = os.dup(context.output.stdout)
    os.dup2(2, context.output.stdout)
    serve(context.environment, CommandTexts(), 0, outgoing)
    return 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
