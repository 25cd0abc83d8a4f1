"""What `ack` prints."""

from __future__ import annotations

from agentmail.cli.several import done
from agentmail.core.errors import worst_of

CHANGES = True


def lines(outcome: Acknowledged) -> Iterator[str]:
    """A line a message."""
    return done(outcome["messages"], f" by session {outcome['session']}")


def finish(context: Context, outcome: Acknowledged) -> int:
    """Say what could not be acknowledged."""
    return worst_of(context.say_failures(outcome["messages"]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.ack import Acknowledged
