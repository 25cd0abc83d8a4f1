"""Threads: which messages belong to one, which thread a word means, and what is known of each."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.message_files import message_named
from agentmail.views.base import EVERYWHERE, Entry, Wanted
from agentmail.views.receipts import recipients_of
from agentmail.views.scan import SCAN


def thread_named(box: Mailbox, word: str, reader: Reader = SCAN) -> str:
    """The thread that a word means: the one of the message of that id, else the word itself."""
    id = message_named(box, word)
    entry = reader.find(box, id)
    return id if entry is None or entry.damaged else entry.thread


def messages_of(
    box: Mailbox,
    name: str,
    places: Collection[str] = EVERYWHERE,
    reader: Reader = SCAN,
    **watch: Unpack[Watch],
) -> list[Entry]:
    """The messages of a thread that this mailbox has in these places, oldest first."""
    found = reader.entries(box, places, Wanted(thread=name), **watch)
    return sorted((one for one in found if one.thread == name), key=Entry.sort_key)


def latest_from_another(box: Mailbox, name: str) -> str | None:
    """The id of the latest message of a thread that the mailbox's owner did not write; None where there is none."""
    received = messages_of(box, name, (INBOX, ARCHIVE))
    others = [one.id for one in received if one.message.get("from") != box.identity]
    return others[-1] if others else None


def waiting_in(box: Mailbox, name: str) -> list[str]:
    """The ids of a thread's messages that wait, oldest first."""
    return [one.id for one in messages_of(box, name, (INBOX,)) if one.place == INBOX]


class ThreadSum:
    """What is known of a thread after some of its messages, which are looked at one by one and not kept."""

    __slots__ = ("count", "first_key", "last_id", "last_key", "name", "parties", "subject", "waiting")

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.waiting = 0
        self.parties: set[str] = set()
        self.subject = ""
        self.first_key: Key | None = None
        self.last_key: Key | None = None
        self.last_id = ""

    def add(self, entry: Entry) -> None:
        """Count one more message; the subject is that of the first."""
        key = entry.sort_key()
        self.count += 1
        self.waiting += entry.place == INBOX
        self.parties.update(
            recipients_of(entry.message) if entry.place == SENT else [entry.message.get("from")]
        )
        if self.first_key is None or key < self.first_key:
            self.first_key, self.subject = key, entry.message.get("subject")
        if self.last_key is None or key > self.last_key:
            self.last_key, self.last_id = key, entry.id

    @property
    def last_seconds(self) -> int | None:
        """The minute of the latest message in seconds of the epoch."""
        return times.seconds_of(self.last_key[0]) if self.last_key else None


def sums_of(entries: Iterable[Entry]) -> list[ThreadSum]:
    """A sum for each thread, the one with the latest message last."""
    sums: dict[str, ThreadSum] = {}
    for entry in entries:
        add_to(sums, entry)
    return in_order(sums)


def add_to(sums: dict[str, ThreadSum], entry: Entry) -> None:
    """Count one more message in the sum of its thread."""
    name = entry.thread
    found = sums.get(name)
    if found is None:
        found = sums[name] = ThreadSum(name)
    found.add(entry)


def in_order(sums: dict[str, ThreadSum]) -> list[ThreadSum]:
    """The sums, the one with the latest message last."""
    return sorted(sums.values(), key=_last_key)


def _last_key(one: ThreadSum) -> Key:
    return one.last_key or ("", "", ("", "", 0, ""))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypedDict, Unpack

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Key, Progress, Reader

    class Watch(TypedDict, total=False):
        """How a walk through messages reports: see `Reader.entries`."""

        unreadable: list[str] | None
        progress: Progress | None
