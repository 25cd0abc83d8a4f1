"""Whether a message claims another kind of sender than the registry says. A header is the sender's own statement."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.former import new_name
from agentmail.core.registry import AGENT
from agentmail.message import UNKNOWN_KIND

MISMATCH = "sender-kind-mismatch"


def kind_flags(message: Message, known: KnownIdentities) -> list[str]:
    """The flag of a message that claims to be of a human, a program or an agent where the registry says otherwise.

    A registry that cannot be read confirms no claim.
    """
    claim, sender = message.get("sender_kind"), message.get("from")
    if claim in ("", UNKNOWN_KIND):
        return []
    row = known.rows.get(sender)
    if row is None and sender:
        row = known.rows.get(_now(known, sender))
    return [] if claim == ((row.kind if row else "") or AGENT) else [MISMATCH]


def _now(known: KnownIdentities, sender: str) -> str:
    """What the sender is called now; a name that is no identity has no mark."""
    try:
        return new_name(known.bus, sender) if names.is_identity(sender) else ""
    except OSError:
        return ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.roster import KnownIdentities
    from agentmail.message import Message
