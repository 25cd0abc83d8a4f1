"""Receipts: the facts that sessions recorded about messages, with times; never that a session runs or did anything."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound
from agentmail.core.layout import INBOX, SENT
from agentmail.core.message_files import message_named
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import From, TypedDict
from agentmail.verbs.thread import listed
from agentmail.views.base import Entry
from agentmail.views.receipts import Witnesses, parties


class MessageReceipts(From):
    """The receipts of a message. `verified`: a session that was shown it acknowledged it, or it is answered.

    `unknown` names the identities whose records could not all be read: no receipt is then not even no evidence.
    """

    id: str
    place: str
    to: str
    cc: str
    subject: str
    receipts: list[ReceiptOfSession]
    missed: list[Missed]
    unknown: list[str]
    answered: list[str]
    verified: bool


class ReceiptList(TypedDict):
    """`receipts`: no receipt means no evidence, not that no session saw it. `unreadable` names records that are damaged."""

    identity: str
    messages: list[MessageReceipts]
    unreadable: list[str]


def receipts(call: Call, identity: Me, id: str | None = None) -> ReceiptList:
    """Print what sessions recorded about a message, or about all that wait and were sent.

    For a message received: my own sessions'. For one sent: its recipients', and which answers came; only for
    those are archived messages opened.
    """
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        wanted = message_named(box, id) if id is not None else None
        unreadable: list[str] = []
        chosen = _one_of(box, reader, wanted, unreadable) if wanted else _all_of(box, reader, unreadable)
        sent = {one.id for one in chosen if one.place == SENT}
        answers = _answers(box, reader, sent) if sent else {}
        witnesses = Witnesses(call.bus)
        messages = [_one(box, entry, witnesses, answers.get(entry.id, [])) for entry in chosen]
        return {
            "identity": identity,
            "messages": messages,
            "unreadable": unreadable + witnesses.unreadable,
        }


def _one_of(box: Mailbox, reader: Reader, id: str, unreadable: list[str]) -> list[Entry]:
    entry = reader.find(box, id)
    if entry is None:
        raise NotFound(
            f"no message {id} in the mailbox of {box.identity}",
            names.NOTHING_CHANGED,
            f"see `agentmail receipts {box.identity}`",
        )
    if entry.damaged:
        unreadable.append(f"{entry.place}/{names.printable(entry.name)}: {entry.damaged}")
    return [entry.without_body()]


def _all_of(box: Mailbox, reader: Reader, unreadable: list[str]) -> list[Entry]:
    """Everything that waits or was sent, oldest first."""
    return sorted(reader.headers(box, (INBOX, SENT), unreadable=unreadable), key=Entry.sort_key)


def _answers(box: Mailbox, reader: Reader, sent: set[str]) -> dict[str, list[str]]:
    """The ids of the messages with which others answered these."""
    answers: dict[str, list[str]] = {}
    for entry in reader.answers(box, sent):
        if entry.message.get("from") != box.identity:
            answers.setdefault(entry.message.get("re"), []).append(entry.id)
    return answers


def _one(box: Mailbox, entry: Entry, witnesses: Witnesses, answers: list[str]) -> MessageReceipts:
    message = listed(box, entry, witnesses)
    answered = sorted(answers, key=names.order)
    return {
        "id": entry.id,
        "place": entry.place,
        "from": message["from"],
        "to": message["to"],
        "cc": message["cc"],
        "subject": message["subject"],
        "receipts": message["receipts"],
        "missed": message["missed"],
        "unknown": [one for one in parties(box, entry) if one in witnesses.failed],
        "answered": answered,
        "verified": bool(answered)
        or any(one["acknowledged"] and one["shown"] for one in message["receipts"]),
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me
    from agentmail.verbs.thread import Missed, ReceiptOfSession
    from agentmail.views.base import Reader
