"""Sessions: which sessions have a record in a mailbox, with the first and last time of any fact."""

from __future__ import annotations

from agentmail.core.roster import open_mailbox
from agentmail.ledger.sessions import all_receipts
from agentmail.verbs.call import TypedDict


class Session(TypedDict):
    """A session as its record shows it, with the first and last time of any fact; not whether it runs."""

    machine: str
    session: str
    host: str
    host_version: str
    workdir: str
    wake: bool
    first: str
    last: str
    presented: int
    acknowledged: int


class Sessions(TypedDict):
    """`sessions`: observed provenance."""

    identity: str
    sessions: list[Session]
    unreadable: list[str]


def sessions(call: Call, identity: Me) -> Sessions:
    """List the sessions that have a record, with times."""
    with open_mailbox(call.bus, identity) as box:
        return sessions_of(box)


def sessions_of(box: Mailbox) -> Sessions:
    """The sessions of an open mailbox, the latest last."""
    unreadable: list[str] = []
    found = [_session(*one) for one in all_receipts(box, unreadable=unreadable)]
    found.sort(key=lambda one: (one["last"], one["session"], one["machine"]))
    return {"identity": box.identity, "sessions": found, "unreadable": unreadable}


def _session(machine: str, session: str, record: Receipts) -> Session:
    facts = sorted(record.sessions, key=lambda fact: str(fact.get("time", "")))
    times = [str(fact.get("time", "")) for fact in facts]
    seen = [time for time in (*times, *_times(record)) if time]
    latest = facts[-1] if facts else {}
    return {
        "machine": machine,
        "session": session,
        "host": str(latest.get("host", "")),
        "host_version": str(latest.get("host_version", "")),
        "workdir": str(latest.get("workdir", "")),
        "wake": any(fact.get("wake") is True for fact in facts),
        "first": min(seen, default=""),
        "last": max(seen, default=""),
        "presented": len(record.presented),
        "acknowledged": len(record.acknowledged.keys() | record.unshown.keys()),
    }


def _times(record: Receipts) -> Iterator[str]:
    """The times of everything that it recorded about messages."""
    for times in (record.presented, record.acknowledged, record.unshown):
        yield from times.values()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.layout import Mailbox
    from agentmail.ledger.receipts import Receipts
    from agentmail.verbs.call import Call, Me
