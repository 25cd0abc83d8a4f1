"""Who am I: the identity, session and bus of a call, and how the identity was decided."""

from __future__ import annotations

from agentmail.core.roster import KnownIdentities
from agentmail.verbs.call import TypedDict

BY_VARIABLE, BY_WORKDIR = "AGENT_MAIL_SELF", "workdir"


class WhoAmI(TypedDict):
    """`whoami`: `how` is `AGENT_MAIL_SELF`, or `workdir` where the registered one holds the current `directory`.

    `workdir` and `session` are empty where none is known.
    """

    identity: str
    how: str
    workdir: str
    directory: str
    session: str
    bus: str


def whoami(call: Call) -> WhoAmI:
    """Print who you are here, and how that was decided: identity, workdir, session, bus."""
    identity = call.me()
    row = KnownIdentities(call.bus).rows.get(identity)
    return {
        "identity": identity,
        "how": BY_VARIABLE if call.environment.self_identity() else BY_WORKDIR,
        "workdir": row.workdir if row is not None else "",
        "directory": call.workdir,
        "session": call.session,
        "bus": call.bus.root,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
