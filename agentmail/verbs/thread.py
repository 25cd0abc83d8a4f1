"""Thread and threads: what an identity received and sent under one name, with what sessions recorded about it."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import NotFound
from agentmail.core.layout import INBOX, SENT
from agentmail.core.roster import open_mailbox
from agentmail.ledger.evidence import parsed
from agentmail.message import body_text
from agentmail.views.receipts import Witnesses, recipients
from agentmail.views.scan import Entry, entries, listing
from agentmail.views.threads import thread as entries_of
from agentmail.views.threads import thread_named


def thread(bus: Bus, identity: str, word: str, watch: Callable[[Listing], Listing] | None = None) -> Thread:
    """The thread that a word names, or that the message of that id belongs to. NotFound where there is none.

    `watch` may look at the listing as it is walked: a long walk is shown to a person.
    """
    with open_mailbox(bus, identity) as box:
        name = thread_named(box, word)
        found = listing(box)
        unreadable: list[str] = []
        chosen = entries_of(box, name, watch(found) if watch else found, unreadable)
        if not chosen:
            but = f" ({len(unreadable)} could not be read)" if unreadable else ""
            raise NotFound(
                f"no message of {identity} belongs to a thread {name}{but}",
                names.NOTHING_CHANGED,
                f"see `agentmail threads {identity}`",
            )
        witnesses = Witnesses(bus)
        messages = [whole(bus, box, one, witnesses) for one in chosen]
        return {
            "identity": identity,
            "thread": name,
            "messages": messages,
            "unreadable": unreadable + witnesses.unreadable,
        }


def whole(bus: Bus, box: Mailbox, entry: Entry, witnesses: Witnesses) -> ThreadMessage:
    """A message with its text and its receipts."""
    encoding, body = body_text(entry.message)
    return {**listed(bus, box, entry, witnesses), "encoding": encoding, "body": body}


def listed(bus: Bus, box: Mailbox, entry: Entry, witnesses: Witnesses) -> ListedMessage:
    """A message without its text, with its receipts. Provenance that a header does not give is empty."""
    message = entry.message
    flags = [*message.flags, *(["damaged"] if entry.damaged else [])]
    return {
        "id": entry.id,
        "place": entry.place,
        "path": bus.path(box.identity, entry.place, entry.name),
        "from": message.get("from"),
        "to": message.get("to"),
        "cc": message.get("cc"),
        "thread": entry.thread,
        "re": message.get("re"),
        "kind": message.kind,
        "subject": message.get("subject"),
        "priority": message.priority,
        "date": message.get("date"),
        "machine": message.get("machine"),
        "session": message.get("session"),
        "sender_kind": message.get("sender_kind"),
        "evidence": parsed(message.get("evidence")),
        "flags": flags,
        "receipts": [
            {
                "identity": one.identity,
                "machine": one.machine,
                "session": one.session,
                "presented": one.presented,
                "acknowledged": one.acknowledged,
            }
            for one in witnesses.about(box, entry)
        ],
    }


def threads(bus: Bus, identity: str, watch: Callable[[Listing], Listing] | None = None) -> Threads:
    """Every thread of the mailbox, the one with the latest message last."""
    with open_mailbox(bus, identity) as box:
        found = listing(box)
        unreadable: list[str] = []
        sums = summaries(entries(box, watch(found) if watch else found, unreadable))
        return {"identity": identity, "threads": sums, "unreadable": unreadable}


def summaries(found: Iterable[Entry]) -> list[ThreadSummary]:
    """Threads as sums over messages, which are looked at one by one and not kept."""
    sums: dict[str, ThreadSum] = {}
    for entry in found:
        sums.setdefault(entry.thread, ThreadSum()).add(entry)
    ordered = sorted(sums.items(), key=lambda pair: pair[1].last_key)
    return [one.summary(name) for name, one in ordered]


class ThreadSum:
    """What is known of a thread after some of its messages."""

    __slots__ = ("count", "first_key", "last_id", "last_key", "parties", "subject", "waiting")

    def __init__(self) -> None:
        self.count = 0
        self.waiting = 0
        self.parties: set[str] = set()
        self.subject = ""
        self.first_key: tuple[object, ...] = ()
        self.last_key: tuple[object, ...] = ()
        self.last_id = ""

    def add(self, entry: Entry) -> None:
        """Count one message; the subject is the first one's, as a thread is known by how it began."""
        key: tuple[object, ...] = entry.sort_key()
        self.count += 1
        self.waiting += entry.place == INBOX
        self.parties.update(recipients(entry.message) if entry.place == SENT else [entry.message.get("from")])
        if not self.first_key or key < self.first_key:
            self.first_key, self.subject = key, entry.message.get("subject")
        if key > self.last_key:
            self.last_key, self.last_id = key, entry.id

    def summary(self, name: str) -> ThreadSummary:
        """The sum as plain values."""
        last = str(self.last_key[0])
        return {
            "thread": name,
            "messages": self.count,
            "waiting": self.waiting,
            "subject": self.subject,
            "parties": sorted(party for party in self.parties if party),
            "last": self.last_id,
            "last_seconds": times.seconds_of(last),
        }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.conversation_outcomes import (
        ListedMessage,
        Thread,
        ThreadMessage,
        Threads,
        ThreadSummary,
    )

    Listing = Iterable[tuple[str, str]]
