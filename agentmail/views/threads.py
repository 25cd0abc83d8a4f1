"""The messages of a thread, and which thread a word means."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.layout import INBOX, PLACES, SENT, waiting
from agentmail.views.scan import Entry, entries, entry_at, listing


def thread_named(box: Mailbox, word: str) -> str:
    """The thread that a word means: the one of the message of that id, else the word itself."""
    id = names.message_id(word)
    for place, suffix in PLACES:
        entry = entry_at(box, place, id + suffix)
        if entry is not None and not entry.damaged:
            return entry.thread
    return id


def thread(
    box: Mailbox,
    name: str,
    found: Iterable[tuple[str, str]] | None = None,
    unreadable: list[str] | None = None,
) -> list[Entry]:
    """The messages of a thread that this mailbox received or sent, oldest first."""
    everything = listing(box) if found is None else found
    word = [name.casefold()]
    read_back = entries(box, everything, unreadable)
    chosen = (one for one in read_back if one.may_hold(word) and one.thread == name)
    return sorted(chosen, key=Entry.sort_key)


def latest_from_another(box: Mailbox, name: str) -> str | None:
    """The id of the latest message of a thread that the mailbox's owner did not write; None where there is none."""
    received = [one for one in listing(box) if one[0] != SENT]
    others = [one.id for one in thread(box, name, received) if one.message.get("from") != box.identity]
    return others[-1] if others else None


def waiting_in(box: Mailbox, name: str) -> list[str]:
    """The ids of a thread's messages that wait, oldest first."""
    found = [(INBOX, file) for file in waiting(box) if file.endswith(".md")]
    return [one.id for one in thread(box, name, found) if one.place == INBOX]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmail.core.layout import Mailbox
