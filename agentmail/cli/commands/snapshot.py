"""What `snapshot` prints: always JSON."""

from __future__ import annotations

ALWAYS_JSON = True


def lines(_outcome: Snapshot) -> Iterator[str]:
    """Nothing beside the document."""
    yield from ()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.snapshot import Snapshot
