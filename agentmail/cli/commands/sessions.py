"""What `sessions` prints."""

from __future__ import annotations

from agentmail.core.names import printable


def lines(outcome: Sessions) -> Iterator[str]:
    """A line for each session that has a record."""
    for one in outcome["sessions"]:
        wake = ", said it can be woken" if one["wake"] else ""
        first, last = printable(one["first"]), printable(one["last"])
        seen = f"seen {first} to {last}" if first else "with no facts"
        yield (
            f"{printable(one['session'])}  machine {printable(one['machine'])}  {_host(one)}  "
            f"{printable(one['workdir']) or '?'}  {seen}, "
            f"presented {one['presented']}, acknowledged {one['acknowledged']}{wake}"
        )
    if not outcome["sessions"]:
        yield f"{outcome['identity']}: no session has a record"


def _host(one: Session) -> str:
    return " ".join(filter(None, [printable(one["host"]) or "?", printable(one["host_version"])]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.sessions import Session, Sessions
