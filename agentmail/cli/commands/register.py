"""What `register` prints."""

from __future__ import annotations

from agentmail.core.names import printable

CHANGES = True


def lines(outcome: Registered) -> Iterator[str]:
    """What happened to which row."""
    yield f"{outcome['outcome']} {outcome['identity']} {printable(outcome['workdir'])} ({printable(outcome['path'])})"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.register import Registered
