"""When a session of an identity last said that it can be woken."""

from __future__ import annotations

from agentmail.core.errors import AgentMailError
from agentmail.ledger.sessions import all_receipts


def last_wake(bus: Bus, identity: str) -> str:
    """When a session of an identity last said that it can be woken; empty where none did, or none can be asked."""
    said = [""]
    try:
        with bus.mailbox(identity) as box:
            for _, _, receipts in all_receipts(box, unreadable=[]):
                said += [str(fact.get("time", "")) for fact in receipts.sessions if fact.get("wake") is True]
    except (OSError, AgentMailError):
        # The message is delivered; that nothing is known of its recipients is not worth an error.
        return ""
    return max(said)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
