"""Receipts and sessions: what sessions recorded, with times; never that somebody is there, or has done anything."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound
from agentmail.core.identities import open_mailbox
from agentmail.core.layout import ARCHIVE, SENT
from agentmail.ledger.sessions import all_receipts
from agentmail.threads import Entry, Witnesses, entries, listing
from agentmail.verbs.thread import listed


def receipts(bus: Bus, identity: str, id: str | None = None) -> ReceiptList:
    """The receipts of one message, or of all that wait and all that were sent.

    For a message received: my own sessions'. For one sent: its recipients', and which answers came.
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
        answers = _answers(box, found) if any(place == SENT for place, _ in chosen) else {}
        witnesses = Witnesses(bus)
        ordered = sorted(entries(box, chosen), key=Entry.sort_key)
        return {
            "identity": identity,
            "messages": [_one(bus, box, entry, witnesses, answers) for entry in ordered],
        }


def _answers(box: Mailbox, found: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Ids of received messages by the id that they answer."""
    answers: dict[str, list[str]] = {}
    for entry in entries(box, [one for one in found if one[0] != SENT]):
        if entry.message.get("re"):
            answers.setdefault(entry.message.get("re"), []).append(entry.id)
    return answers


def _one(
    bus: Bus, box: Mailbox, entry: Entry, witnesses: Witnesses, answers: dict[str, list[str]]
) -> MessageReceipts:
    message = listed(bus, box, entry, witnesses)
    answered = sorted(answers.get(entry.id, []), key=names.order) if entry.place == SENT else []
    return {
        "id": entry.id,
        "place": entry.place,
        "from": message["from"],
        "to": message["to"],
        "subject": message["subject"],
        "receipts": message["receipts"],
        "answered": answered,
        "verified": bool(answered) or any(one["acknowledged"] for one in message["receipts"]),
    }


def sessions(bus: Bus, identity: str) -> Sessions:
    """The sessions that left a record in the mailbox, the latest last."""
    with open_mailbox(bus, identity) as box:
        found = [_session(machine, session, record) for machine, session, record in all_receipts(box)]
    return {"identity": identity, "sessions": sorted(found, key=lambda one: (one["last"], one["session"]))}


def _session(machine: str, session: str, record: Receipts) -> Session:
    facts = sorted(record.sessions, key=lambda fact: str(fact.get("time", "")))
    seen = [str(fact.get("time", "")) for fact in facts]
    seen += [*record.presented.values(), *record.acknowledged.values()]
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
    from agentmail.verbs.outcomes import MessageReceipts, ReceiptList, Session, Sessions
