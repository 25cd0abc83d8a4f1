"""What `whoami` prints."""

from __future__ import annotations

from agentmail.core.names import printable
from agentmail.core.whoami import BY_VARIABLE, BY_WORKTREE


def lines(outcome: WhoAmI) -> Iterator[str]:
    """The identity and why; then session and bus."""
    workdir = printable(outcome["workdir"]) or "none registered"
    if outcome["how"] == BY_VARIABLE:
        why = f"{BY_VARIABLE} says so; {f'workdir: {workdir}' if outcome['registered'] else 'not registered'}"
    elif outcome["how"] == BY_WORKTREE:
        why = f"its workdir {workdir} holds the main checkout {printable(outcome['checkout'])} of this git worktree"
    else:
        why = f"its workdir {workdir} holds the current directory"
    yield f"{outcome['identity']} ({why})"
    yield f"session: {printable(outcome['session']) or 'none known'}"
    yield f"bus: {printable(outcome['bus'])}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.whoami import WhoAmI
