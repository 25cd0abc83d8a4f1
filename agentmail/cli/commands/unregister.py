"""What `unregister` prints."""

from __future__ import annotations

from agentmail.core.names import printable

CHANGES = True


def lines(outcome: Unregistered) -> Iterator[str]:
    """The identity, and where its mailbox is kept."""
    yield f"{outcome['outcome'].replace('-', ' ')} {outcome['identity']} ({printable(outcome['path'])})"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.unregister import Unregistered
