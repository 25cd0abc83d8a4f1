"""What `sessions` prints."""

from __future__ import annotations

from agentmail.core.names import printable


def lines(outcome: Sessions) -> Iterator[str]:
    """A line a session that left a record."""
    for one in outcome["sessions"]:
        wake = ", said it can be woken" if one["wake"] else ""
        yield (
            f"{printable(one['session'])}  machine {printable(one['machine'])}  {_host(one)}  "
            f"{printable(one['workdir']) or '?'}  seen {printable(one['first'])} to {printable(one['last'])}, "
            f"presented {one['presented']}, acknowledged {one['acknowledged']}{wake}"
        )
    if not outcome["sessions"]:
        yield f"{outcome['identity']}: no session left a record"


def _host(one: Session) -> str:
    return " ".join(filter(None, [printable(one["host"]) or "?", printable(one["host_version"])]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.sessions import Session, Sessions
