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
        with open_mailbox(bus, identity) as box:
            waiting, path = len(waiting_unordered(box)), box.path()
    except OSError as error:
        raise TryAgain(
            f"cannot unregister {identity}: {reason(error)}",
            "its mail is kept",
            f"run `agentmail unregister {identity}` again",
        ) from error
    left = f"{waiting} still wait; read them: `agentmail check {identity}`"
    return {
        "outcome": "unregistered" if changed else "already-unregistered",
        "identity": identity,
        "path": path,
        "waiting": waiting,
        "warnings": [left] if waiting and changed else [],
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
