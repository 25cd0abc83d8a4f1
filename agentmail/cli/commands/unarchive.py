"""What `unarchive` prints."""

from __future__ import annotations

CHANGES = True


def lines(outcome: Unarchived) -> Iterator[str]:
    """What happened to which."""
    yield f"{outcome['outcome'].replace('-', ' ')} {outcome['id']}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.unarchive import Unarchived
