"""Threads: every thread of a mailbox as a sum over its messages."""

from __future__ import annotations

from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class ThreadSummary(TypedDict):
    """A thread: its first subject, its parties, its latest message and the minute of that in seconds of the epoch."""

    thread: str
    messages: int
    waiting: int
    subject: str
    parties: list[str]
    last: str
    last_seconds: int | None


class Threads(TypedDict):
    """`threads`: every thread of the mailbox, the one with the latest message last."""

    identity: str
    threads: list[ThreadSummary]
    unreadable: list[str]


def threads(call: Call, identity: Me) -> Threads:
    """List the threads; the one with the latest message is last."""
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        unreadable: list[str] = []
        found = reader.sums(box, unreadable=unreadable, progress=call.progress)
        return {"identity": identity, "threads": summaries(found), "unreadable": unreadable}


def summaries(sums: Iterable[ThreadSum]) -> list[ThreadSummary]:
    """The sums as plain values."""
    return [
        {
            "thread": one.name,
            "messages": one.count,
            "waiting": one.waiting,
            "subject": one.subject,
            "parties": sorted(party for party in one.parties if party),
            "last": one.last_id,
            "last_seconds": one.last_seconds,
        }
        for one in sums
    ]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmail.verbs.call import Call, Me
    from agentmail.views.threads import ThreadSum
