"""Snapshot: one document about a mailbox for a panel: counts, threads, messages, receipts, sessions."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.layout import ARCHIVE, SENT, waiting
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import read_receipts
from agentmail.verbs.call import TypedDict
from agentmail.verbs.sessions import sessions_of
from agentmail.verbs.thread import listed
from agentmail.verbs.threads import summaries
from agentmail.views.base import Entry
from agentmail.views.receipts import Witnesses
from agentmail.views.scan import listing
from agentmail.views.threads import sums_of


class Counts(TypedDict):
    """Numbers by place; `waiting` counts as `check` does; `pending` of them this session was not shown (null without one)."""

    waiting: int
    archived: int
    sent: int
    pending: int | None


class Snapshot(TypedDict):
    """`snapshot`: the mailbox at a moment; with `--counts` the counts alone."""

    identity: str
    at: str
    counts: Counts
    threads: NotRequired[list[ThreadSummary]]
    messages: NotRequired[list[ListedMessage]]
    sessions: NotRequired[list[Session]]
    unreadable: NotRequired[list[str]]


def snapshot(call: SessionCall, identity: Me, *, counts: bool = False) -> Snapshot:
    """Print one JSON document for a panel: counts, threads, messages, receipts, sessions.

    `pending` counts the waiting messages that this session was not shown; null without a session. Every header is
    in memory at once, as it is in the document; the texts are not.
    """
    recorder = call.recorder()
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        outcome: Snapshot = {
            "identity": identity,
            "at": times.timestamp(call.bus.clock.now_ns()),
            "counts": _counts(box, recorder),
        }
        if not counts:
            _add_everything(box, reader, outcome)
    return outcome


def _counts(box: Mailbox, recorder: Recorder | None) -> Counts:
    found = listing(box)
    waits = waiting(box)
    return {
        "waiting": len(waits),
        "archived": sum(place == ARCHIVE for place, _ in found),
        "sent": sum(place == SENT for place, _ in found),
        "pending": _pending(box, waits, recorder) if recorder else None,
    }


def _add_everything(box: Mailbox, reader: Reader, outcome: Snapshot) -> None:
    witnesses = Witnesses(box.bus)
    unreadable: list[str] = []
    everything = sorted(reader.headers(box, unreadable=unreadable), key=Entry.sort_key)
    here = sessions_of(box)
    outcome["threads"] = summaries(sums_of(everything))
    outcome["messages"] = [listed(box, entry, witnesses) for entry in everything]
    outcome["sessions"] = here["sessions"]
    outcome["unreadable"] = [*unreadable, *here["unreadable"], *witnesses.unreadable]


def _pending(box: Mailbox, waits: list[str], recorder: Recorder) -> int:
    record = read_receipts(box, recorder.machine, recorder.session)
    shown = record.presented if record else {}
    return sum(key_of(name) not in shown for name in waits)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Me, Recorder, SessionCall
    from agentmail.verbs.sessions import Session
    from agentmail.verbs.thread import ListedMessage
    from agentmail.verbs.threads import ThreadSummary
    from agentmail.views.base import Reader
