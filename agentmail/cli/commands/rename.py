"""What `rename` prints."""

from __future__ import annotations

from agentmail.core.names import printable

CHANGES = True


def lines(outcome: Renamed) -> Iterator[str]:
    """Both names, and where the mailbox is."""
    yield f"{outcome['outcome'].replace('-', ' ')} {outcome['former']} {outcome['identity']} ({printable(outcome['path'])})"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.rename import Renamed
