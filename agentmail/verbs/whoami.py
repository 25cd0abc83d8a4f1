"""Who am I: the identity, session and bus of a call, and how the identity was decided."""

from __future__ import annotations

from agentmail.core.roster import KnownIdentities
from agentmail.core.whoami import decide
from agentmail.verbs.call import TypedDict


class WhoAmI(TypedDict):
    """`whoami`: `how` is `AGENT_MAIL_SELF`, `workdir` where the registered one holds the current `directory`, or
    `main-checkout` where it holds the `checkout` of the git worktree that `directory` is in.

    What is not known is empty. `registered` is False for a name in AGENT_MAIL_SELF that no row has.
    """

    identity: str
    registered: bool
    how: str
    workdir: str
    directory: str
    checkout: str
    session: str
    bus: str


def whoami(call: Call) -> WhoAmI:
    """Print your identity, workdir, session and bus, and how the identity was decided."""
    found = decide(call.bus, call.environment)
    row = KnownIdentities(call.bus).rows.get(found.identity)
    return {
        "identity": found.identity,
        "registered": row is not None,
        "how": found.how,
        "workdir": row.workdir if row is not None else "",
        "directory": call.workdir,
        "checkout": found.checkout,
        "session": call.session,
        "bus": call.bus.root,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
