"""Snapshot: one document about a mailbox: counts, threads, messages, receipts, sessions."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.layout import ARCHIVE, SENT, waiting
from agentmail.core.lean_json import dumps
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import read_receipts
from agentmail.verbs.call import TypedDict
from agentmail.verbs.sessions import sessions_of
from agentmail.verbs.thread import listed
from agentmail.verbs.threads import summaries
from agentmail.views.in_order import InOrder
from agentmail.views.receipts import Witnesses


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


class OpenSnapshot:
    """A snapshot being taken of an open mailbox."""

    def __init__(self, box: Mailbox, reader: Reading, recorder: Recorder | None) -> None:
        self.box = box
        self.reader = reader
        self.recorder = recorder
        self.witnesses = Witnesses(box.bus)

    def outcome(self, *, counts: bool, as_json: bool = False) -> Snapshot:
        """The document. With `as_json` its messages may come one by one, as JSON; `unreadable` is then complete after them."""
        now = self.box.bus.clock.now_ns()
        outcome: Snapshot = {
            "identity": self.box.identity,
            "at": times.timestamp(now),
            "counts": self._counts(),
        }
        if not counts:
            self._add_everything(outcome, as_json)
        return outcome

    def _counts(self) -> Counts:
        found = self.reader.counts(self.box)
        waits = waiting(self.box)
        return {
            "waiting": len(waits),
            "archived": found[ARCHIVE],
            "sent": found[SENT],
            "pending": _pending(self.box, waits, self.recorder) if self.recorder else None,
        }

    def _add_everything(self, outcome: Snapshot, as_json: bool) -> None:
        box, unreadable, here = self.box, list[str](), sessions_of(self.box)
        panel = self.reader.panel(self.witnesses, self._as_json) if as_json else None
        if panel is not None:
            sums = self.reader.sums(box, unreadable=unreadable)
            unreadable += here["unreadable"]
            messages: Any = self._noting(panel, unreadable)
        else:
            entries = InOrder(box, self.reader.headers(box, unreadable=unreadable))
            sums = entries.sums
            unreadable += here["unreadable"]
            if as_json:
                messages = self._noting(map(self._as_json, entries), unreadable)
            else:
                messages = [listed(box, entry, self.witnesses) for entry in entries]
                unreadable += sorted(self.witnesses.unreadable)
        outcome["threads"] = summaries(sums)
        outcome["messages"] = messages
        outcome["sessions"] = here["sessions"]
        outcome["unreadable"] = unreadable

    def _as_json(self, entry: Entry) -> str:
        return dumps(listed(self.box, entry, self.witnesses)).replace("\x7f", "\\u007f")

    def _noting(self, messages: Iterator[str], unreadable: list[str]) -> Iterator[str]:
        """The messages as they pass, and after them the records that could not be read for them."""
        yield from messages
        unreadable += sorted(self.witnesses.unreadable)


def snapshot(call: SessionCall, identity: Me, *, counts: bool = False) -> Snapshot:
    """Print a mailbox as one JSON document: counts, threads, messages, receipts, sessions.

    `pending` counts the waiting messages that this session was not shown; null without a session.
    """
    recorder = call.recorder()
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        return OpenSnapshot(box, reader, recorder).outcome(counts=counts)


def _pending(box: Mailbox, waits: list[str], recorder: Recorder) -> int:
    record = read_receipts(box, recorder.machine, recorder.session)
    shown = record.presented if record else {}
    return sum(key_of(name) not in shown for name in waits)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Me, Recorder, SessionCall
    from agentmail.verbs.sessions import Session
    from agentmail.verbs.thread import ListedMessage
    from agentmail.verbs.threads import ThreadSummary
    from agentmail.views.base import Entry
    from agentmail.views.reading import Reading
