"""Unregister: an identity takes no more mail; what it has can still be read."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import TryAgain
from agentmail.core.fs import reason
from agentmail.core.layout import waiting_unordered
from agentmail.core.leaving import unregister as unregister_identity
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class Unregistered(TypedDict):
    """`unregister`: `unregistered`, or `already-unregistered`. `path` is the mailbox, which is kept."""

    outcome: str
    identity: str
    path: str
    waiting: int
    warnings: list[str]


def unregister(call: Call, identity: str) -> Unregistered:
    """Remove an identity from the registry; its mail stays readable, and registering it again brings it back."""
    bus, identity = call.bus, names.identity(identity)
    try:
        changed = unregister_identity(bus, identity)
        waiting, path = kept_mail(bus, identity)
    except OSError as error:
        raise unfinished(f"unregister {identity}", error, f"unregister {identity}") from error
    left = f"{waiting} still wait; read them: `agentmail check {identity}`"
    return {
        "outcome": "unregistered" if changed else "already-unregistered",
        "identity": identity,
        "path": path,
        "waiting": waiting,
        "warnings": [left] if waiting and changed else [],
    }


def kept_mail(bus: Bus, identity: str) -> tuple[int, str]:
    """How many messages wait in a mailbox, and its path."""
    with open_mailbox(bus, identity) as box:
        return len(waiting_unordered(box)), box.path()


def unfinished(deed: str, error: OSError, again: str) -> TryAgain:
    """The error of a change to an identity that the disk stopped; the command can be repeated."""
    return TryAgain(
        f"cannot {deed}: {reason(error)}",
        "its mail is kept",
        f"see `agentmail doctor`, then run `agentmail {again}` again",
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.call import Call
