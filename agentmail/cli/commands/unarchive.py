"""What `unarchive` prints."""

from __future__ import annotations

from agentmail.cli.several import done
from agentmail.core.errors import worst_of

CHANGES = True


def lines(outcome: Unarchived) -> Iterator[str]:
    """A line a message that is in the inbox."""
    return done(outcome["messages"])


def finish(context: Context, outcome: Unarchived) -> int:
    """Say what could not be moved."""
    return worst_of(context.say_failures(outcome["messages"]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.unarchive import Unarchived
