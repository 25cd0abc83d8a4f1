"""What `ack` prints."""

from __future__ import annotations

from agentmail.core.errors import worst_of

CHANGES = True


def lines(outcome: Acknowledged) -> Iterator[str]:
    """A line a message."""
    for message in outcome["messages"]:
        if "error" not in message:
            yield f"{message['outcome'].replace('-', ' ')} {message['id']} by session {outcome['session']}"


def finish(context: Context, outcome: Acknowledged) -> int:
    """Say what could not be acknowledged."""
    return worst_of(context.say_failures(outcome["messages"]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.ack import Acknowledged
