"""Unarchive: a message back from the archive to the inbox, the same bytes."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.archiving import unarchive as unarchive_one
from agentmail.core.layout import INBOX
from agentmail.core.roster import open_mailbox


def unarchive(bus: Bus, identity: str, id: str) -> Unarchived:
    """Move it back; one that waits already counts as done."""
    id = names.message_id(id)
    with open_mailbox(bus, identity) as box:
        moved = unarchive_one(box, id)
        outcome = "already-waiting" if moved.already else "unarchived"
        return {"identity": identity, "id": id, "outcome": outcome, "path": box.path(INBOX, moved.name)}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Unarchived
