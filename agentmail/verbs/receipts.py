"""Receipts and sessions: what sessions recorded, with times; never that somebody is there, or has done anything."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound
from agentmail.core.layout import ARCHIVE, SENT
from agentmail.core.roster import open_mailbox
from agentmail.ledger.sessions import all_receipts
from agentmail.verbs.thread import listed
from agentmail.views.receipts import Witnesses
from agentmail.views.scan import Entry, entries, listing


def receipts(bus: Bus, identity: str, id: str | None = None) -> ReceiptList:
    """The receipts of one message, or of all that wait and all that were sent.

    For a message received: my own sessions'. For one sent: its recipients', and which answers came; only for
    those is what was archived opened.
    """
    wanted = names.message_id(id) if id is not None else None
    with open_mailbox(bus, identity) as box:
        found = listing(box)
        chosen = [
            (place, name)
            for place, name in found
            if (names.without_suffix(name) == wanted if wanted else place != ARCHIVE)
        ]
        if wanted and not chosen:
            raise NotFound(
                f"no message {wanted} in the mailbox of {identity}",
                names.NOTHING_CHANGED,
                "give the whole id",
            )
        unreadable: list[str] = []
        ordered = sorted((one.without_body() for one in entries(box, chosen, unreadable)), key=Entry.sort_key)
        answers = _answers(box, found, {one.id for one in ordered if one.place == SENT})
        witnesses = Witnesses(bus)
        messages = [_one(bus, box, entry, witnesses, answers.get(entry.id, [])) for entry in ordered]
        return {
            "identity": identity,
            "messages": messages,
            "unreadable": unreadable + witnesses.unreadable,
        }


def _answers(box: Mailbox, found: list[tuple[str, str]], sent: set[str]) -> dict[str, list[str]]:
    """The ids of the messages that others answered these with."""
    answers: dict[str, list[str]] = {}
    for entry in entries(box, [one for one in found if one[0] != SENT]) if sent else ():
        parent = entry.message.get("re")
        if parent in sent and entry.message.get("from") != box.identity:
            answers.setdefault(parent, []).append(entry.id)
    return answers


def _one(bus: Bus, box: Mailbox, entry: Entry, witnesses: Witnesses, answers: list[str]) -> MessageReceipts:
    message = listed(bus, box, entry, witnesses)
    answered = sorted(answers, key=names.order)
    return {
        "id": entry.id,
        "place": entry.place,
        "from": message["from"],
        "to": message["to"],
        "cc": message["cc"],
        "subject": message["subject"],
        "receipts": message["receipts"],
        "answered": answered,
        "verified": bool(answered) or any(one["acknowledged"] for one in message["receipts"]),
    }


def sessions(bus: Bus, identity: str) -> Sessions:
    """The sessions that left a record in the mailbox, the latest last."""
    with open_mailbox(bus, identity) as box:
        unreadable: list[str] = []
        found = [_session(*one) for one in all_receipts(box, unreadable=unreadable)]
    found.sort(key=lambda one: (one["last"], one["session"], one["machine"]))
    return {"identity": identity, "sessions": found, "unreadable": unreadable}


def _session(machine: str, session: str, record: Receipts) -> Session:
    facts = sorted(record.sessions, key=lambda fact: str(fact.get("time", "")))
    times = [str(fact.get("time", "")) for fact in facts]
    seen = [time for time in (*times, *record.presented.values(), *record.acknowledged.values()) if time]
    latest = facts[-1] if facts else {}
    return {
        "machine": machine,
        "session": session,
        "host": str(latest.get("host", "")),
        "workdir": str(latest.get("workdir", "")),
        "wake": any(fact.get("wake") is True for fact in facts),
        "first": min(seen, default=""),
        "last": max(seen, default=""),
        "presented": len(record.presented),
        "acknowledged": len(record.acknowledged),
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.ledger.receipts import Receipts
    from agentmail.verbs.conversation_outcomes import MessageReceipts, ReceiptList, Session, Sessions
