"""Unarchive: a message back from the archive to the inbox, the same bytes."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.archiving import unarchive as unarchive_one
from agentmail.core.layout import INBOX
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class Unarchived(TypedDict):
    """`unarchive`: `unarchived`, or `already-waiting`."""

    identity: str
    id: str
    outcome: str
    path: str


def unarchive(call: Call, identity: Me, id: str) -> Unarchived:
    """Move a message back to the inbox, the same bytes.

    One that waits already counts as done.
    """
    id = names.message_id(id)
    with open_mailbox(call.bus, identity) as box:
        moved = unarchive_one(box, id)
        outcome = "already-waiting" if moved.already else "unarchived"
        return {"identity": identity, "id": id, "outcome": outcome, "path": box.path(INBOX, moved.name)}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call, Me
