"""Views over a mailbox: every message in it, whatever folder it is in; a thread of them; their receipts.

A view owns no file and keeps no index: it reads what is there, one message at a time.
"""

from __future__ import annotations

from agentmail.core import gz, names
from agentmail.core.errors import AgentMailError, NotFound, Refused
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.mailbox import waiting
from agentmail.core.stored import contents, read_file
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import all_receipts
from agentmail.message import Message, read, sort_key

PLACES = (INBOX, ARCHIVE, SENT)


class Entry:
    """A message with its place. `damaged` says why it could not be read; then the message is empty."""

    __slots__ = ("damaged", "id", "message", "name", "place")

    def __init__(self, place: str, name: str, message: Message, damaged: str = "") -> None:
        self.place = place
        self.name = name
        self.id = names.without_suffix(name)
        self.message = message
        self.damaged = damaged

    @property
    def thread(self) -> str:
        """The thread it belongs to: the one it names, else its own id."""
        return self.message.thread or self.id

    def sort_key(self) -> tuple[str, str, tuple[str, str, int, str]]:
        """Oldest first, as `check` has it."""
        return sort_key(self.name, self.message.get("date"))


def listing(box: Mailbox) -> list[tuple[str, str]]:
    """Place and file name of every message, each id once: the inbox before the archive before the sender's copy."""
    seen: set[str] = set()
    found: list[tuple[str, str]] = []
    for place in PLACES:
        folder = box.existing(place)
        for name in sorted(box.disk.names(folder)) if folder is not None else ():
            id = names.without_suffix(name)
            if id != name and id not in seen:
                seen.add(id)
                found.append((place, name))
    return found


def entries(box: Mailbox, found: Iterable[tuple[str, str]]) -> Iterator[Entry]:
    """The messages of a listing, read one by one; what vanished meanwhile is looked for where it went."""
    for place, name in found:
        entry = _entry(box, place, name)
        if entry is None and place == INBOX:
            entry = _entry(box, ARCHIVE, f"{name}.gz")
        if entry is not None:
            yield entry


def _entry(box: Mailbox, place: str, name: str) -> Entry | None:
    try:
        read_back = read_file(box, place, name)
        return Entry(place, name, read(contents(name, read_back[0]))) if read_back else None
    except gz.Damaged as error:
        return Entry(place, name, Message({}), f"damaged ({error})")
    except (NotFound, Refused) as error:
        return Entry(place, name, Message({}), error.what)


def thread_named(box: Mailbox, word: str) -> str:
    """The thread that a word means: the one of the message of that id, else the word itself."""
    id = names.message_id(word)
    for place, name in (
        (INBOX, f"{id}.md"),
        (ARCHIVE, f"{id}.md.gz"),
        (ARCHIVE, f"{id}.md"),
        (SENT, f"{id}.md"),
    ):
        entry = _entry(box, place, name)
        if entry is not None:
            return entry.thread
    return id


def thread(box: Mailbox, name: str, found: Iterable[tuple[str, str]] | None = None) -> list[Entry]:
    """The messages of a thread that this mailbox received or sent, oldest first."""
    everything = listing(box) if found is None else found
    return sorted((one for one in entries(box, everything) if one.thread == name), key=Entry.sort_key)


def latest_from_another(box: Mailbox, name: str) -> str | None:
    """The id of the latest message of a thread that the mailbox's owner did not write; None where there is none."""
    others = [one.id for one in thread(box, name) if one.message.get("from") != box.identity]
    return others[-1] if others else None


def waiting_in(box: Mailbox, name: str) -> list[str]:
    """The ids of a thread's messages that wait, oldest first."""
    found = [(INBOX, file) for file in waiting(box) if file.endswith(".md")]
    return [one.id for one in thread(box, name, found)]


class Receipt:
    """What one session recorded about one message; times are empty where it recorded nothing of the kind."""

    __slots__ = ("acknowledged", "identity", "machine", "presented", "session")

    def __init__(self, identity: str, machine: str, session: str, presented: str, acknowledged: str) -> None:
        self.identity = identity
        self.machine = machine
        self.session = session
        self.presented = presented
        self.acknowledged = acknowledged


class Witnesses:
    """The session records of the mailboxes on a bus, each read once when it is first asked for."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._known: dict[str, list[tuple[str, str, Receipts]]] = {}

    def of(self, identity: str, name: str) -> list[Receipt]:
        """The receipts that sessions of an identity have for a message's file name."""
        key = key_of(name)
        return [
            Receipt(
                identity,
                machine,
                session,
                receipts.presented.get(key, ""),
                receipts.acknowledged.get(key, ""),
            )
            for machine, session, receipts in self._records(identity)
            if key in receipts.presented
        ]

    def _records(self, identity: str) -> list[tuple[str, str, Receipts]]:
        if identity not in self._known:
            self._known[identity] = []
            if names.is_identity(identity):
                try:
                    with self.bus.mailbox(identity) as box:
                        self._known[identity] = list(all_receipts(box))
                except (OSError, AgentMailError):
                    # No evidence is what a reader may say then; it is not evidence of nothing.
                    self._known[identity] = []
        return self._known[identity]

    def about(self, box: Mailbox, entry: Entry) -> list[Receipt]:
        """The receipts for a message: of my sessions where I received it, of its recipients' where I sent it."""
        if entry.place != SENT:
            return self.of(box.identity, f"{entry.id}.md")
        return [one for identity in recipients(entry.message) for one in self.of(identity, f"{entry.id}.md")]


def recipients(message: Message) -> list[str]:
    """The identities that a header addresses, in to and cc; what is not an identity is left out."""
    words = [word.strip() for key in ("to", "cc") for word in message.get(key).split(",")]
    return [word for word in dict.fromkeys(words) if names.is_identity(word)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.core.layout import Bus, Mailbox
    from agentmail.ledger.receipts import Receipts
