"""Unarchive: a message, or the archived messages of a thread, back to the inbox, the same bytes."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.archiving import unarchive as unarchive_one
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.message_files import find_archived
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class UnarchivedOne(TypedDict):
    """What became of one message: `unarchived`, `already-waiting`, or the word of the error and its text."""

    id: str
    outcome: str
    path: NotRequired[str]
    error: NotRequired[str]
    exit: NotRequired[int]


class Unarchived(TypedDict):
    """`unarchive`: each message with its outcome. `id` is the word that was given."""

    identity: str
    id: str
    messages: list[UnarchivedOne]


def unarchive(call: Call, identity: Me, id: str) -> Unarchived:
    """Move a message, or a thread's archived messages, back to the inbox, with the same bytes.

    One that waits already counts as done. A session that was shown the message is not told of it again.
    """
    id = names.message_id(id)
    with open_mailbox(call.bus, identity) as box:
        found = _meant(box, id)
        messages = [_moved(box, id)] if found == [id] else [_one(box, one) for one in found]
        return {"identity": identity, "id": id, "messages": messages}


def _meant(box: Mailbox, word: str) -> list[str]:
    """The ids that a word means: a message's own id first, else what is archived of the thread of that name.

    Of a thread of which nothing is archived, what waits: that is where it was to be.
    """
    inbox = box.existing(INBOX)
    if find_archived(box, word) or (inbox is not None and box.disk.exists(f"{word}.md", inbox)):
        return [word]
    from agentmail.views.threads import messages_of

    found = messages_of(box, word, (ARCHIVE, INBOX))
    archived = [one.id for one in found if one.place == ARCHIVE]
    return archived or [one.id for one in found if one.place == INBOX] or [word]


def _moved(box: Mailbox, id: str) -> UnarchivedOne:
    moved = unarchive_one(box, id)
    outcome = "already-waiting" if moved.already else "unarchived"
    return {"id": id, "outcome": outcome, "path": box.path(INBOX, moved.name)}


def _one(box: Mailbox, id: str) -> UnarchivedOne:
    try:
        return _moved(box, id)
    except AgentMailError as error:
        return {"id": id, "outcome": error.word, "error": str(error), "exit": error.exit_code}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me
