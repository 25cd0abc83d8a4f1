"""Views over a mailbox: every message in it, whatever folder it is in; a thread of them; their receipts.

A view owns no file and keeps no index: it reads what is there, one message at a time.
"""

from __future__ import annotations

from agentmail.core import gz, names
from agentmail.core.errors import AgentMailError, NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.mailbox import PLACES, waiting
from agentmail.core.stored import contents, read_file
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import all_receipts
from agentmail.message import Message, read, sort_key


class Entry:
    """A message with its place, read from its bytes when it is asked for.

    `damaged` says why it could not be read; then the message is empty.
    """

    __slots__ = ("_data", "_message", "damaged", "id", "name", "place")

    def __init__(self, place: str, name: str, data: bytes | None, damaged: str = "") -> None:
        self.place = place
        self.name = name
        self.id = names.without_suffix(name)
        self.damaged = damaged
        self._data = data
        self._message: Message | None = None

    @property
    def message(self) -> Message:
        """Header and body."""
        if self._message is None:
            self._message = Message({}) if self._data is None else read(self._data)
            self._data = None
        return self._message

    @property
    def thread(self) -> str:
        """The thread it belongs to: the one it names, else its own id."""
        return self.message.thread or self.id

    def may_hold(self, words: Iterable[str]) -> bool:
        """False where one of these folded words is nowhere in it: seen in its bytes, at a tenth of what reading costs.

        An escape or a doubled quote in a header can spell a word that the bytes do not, and letters beyond ASCII
        fold in other ways; then only reading can tell.
        """
        data = self._data
        if data is None or not data.isascii() or b"\\" in data or b"''" in data:
            return True
        folded, id = data.lower(), self.id.casefold()
        for word in words:  # noqa: SIM110 - a generator would cost what this saves
            if word.encode("utf-8", "replace") not in folded and word not in id:
                return False
        return True

    def sort_key(self) -> tuple[str, str, tuple[str, str, int, str]]:
        """Oldest first, as `check` has it."""
        return sort_key(self.name, self.message.get("date"))

    def without_body(self) -> Entry:
        """The same, without the text: for who keeps many."""
        self.message.body = b""
        return self


def listing(box: Mailbox) -> list[tuple[str, str]]:
    """Place and file name of every message, each id once: the inbox before the archive before the sender's copy.

    The inbox is listed again after the archive: what is taken back between the two would be in neither list.
    """
    seen: set[str] = set()
    found: list[tuple[str, str]] = []
    for place in (INBOX, ARCHIVE, INBOX, SENT):
        folder = box.existing(place)
        for name in sorted(box.disk.names(folder)) if folder is not None else ():
            id = names.without_suffix(name)
            if id != name and id not in seen:
                seen.add(id)
                found.append((place, name))
    return found


def entries(
    box: Mailbox, found: Iterable[tuple[str, str]], unreadable: list[str] | None = None
) -> Iterator[Entry]:
    """The messages of a listing, read one by one; what moved meanwhile is looked for where it went.

    `unreadable` takes a line for each that is damaged: a view must not look whole where it is not.
    """
    for place, name in found:
        entry = _entry(box, place, name) or _moved(box, place, names.without_suffix(name))
        if entry is not None:
            if entry.damaged and unreadable is not None:
                unreadable.append(f"{place}/{names.printable(name)}: {entry.damaged}")
            yield entry


def _entry(box: Mailbox, place: str, name: str) -> Entry | None:
    try:
        read_back = read_file(box, place, name)
        return Entry(place, name, contents(name, read_back[0])) if read_back else None
    except gz.Damaged as error:
        return Entry(place, name, None, f"damaged ({error})")
    except (NotFound, Refused) as error:
        return Entry(place, name, None, error.what)
    except OSError as error:
        return Entry(place, name, None, reason(error))


def _moved(box: Mailbox, place: str, id: str) -> Entry | None:
    """A message that left its place since it was listed: archived, or taken back; None where it was pruned."""
    if place == SENT:
        return None
    return _entry(box, ARCHIVE, f"{id}.md.gz") if place == INBOX else _entry(box, INBOX, f"{id}.md")


def thread_named(box: Mailbox, word: str) -> str:
    """The thread that a word means: the one of the message of that id, else the word itself."""
    id = names.message_id(word)
    for place, suffix in PLACES:
        entry = _entry(box, place, id + suffix)
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
    """The session records of the mailboxes on a bus, each read once when it is first asked for.

    `unreadable` says which records could not be read: no receipt is then not even "no evidence".
    """

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.unreadable: list[str] = []
        self._known: dict[str, list[tuple[str, str, Receipts]]] = {}

    def of(self, identity: str, id: str) -> list[Receipt]:
        """The receipts that sessions of an identity have for a message."""
        key = key_of(f"{id}.md")
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
            found: list[tuple[str, str, Receipts]] = []
            failed: list[str] = []
            try:
                with self.bus.mailbox(identity) as box:
                    found.extend(all_receipts(box, unreadable=failed))
            except (FileNotFoundError, NotADirectoryError):
                # Nobody of that name here: its records are on another machine, if anywhere.
                pass
            except OSError as error:
                failed.append(reason(error))
            except AgentMailError as error:
                failed.append(error.what)
            self._known[identity] = found
            self.unreadable.extend(f"receipts of {identity} could not be read: {one}" for one in failed)
        return self._known[identity]

    def about(self, box: Mailbox, entry: Entry) -> list[Receipt]:
        """The receipts for a message: of my sessions where I received it, of its recipients' where I sent it."""
        identities = [] if entry.place == SENT else [box.identity]
        if entry.place == SENT or (entry.message.get("from") == box.identity and _is_sent(box, entry.id)):
            identities += recipients(entry.message)
        return [one for identity in dict.fromkeys(identities) for one in self.of(identity, entry.id)]


def _is_sent(box: Mailbox, id: str) -> bool:
    """True where the mailbox has the sender's copy: a header alone proves nothing."""
    folder = box.existing(SENT)
    return folder is not None and box.disk.exists(f"{id}.md", folder)


def recipients(message: Message) -> list[str]:
    """The identities that a header addresses, in to and cc; what is not an identity is left out."""
    words = [word.strip() for key in ("to", "cc") for word in message.get(key).split(",")]
    return [word for word in dict.fromkeys(words) if names.is_identity(word)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.core.layout import Bus, Mailbox
    from agentmail.ledger.receipts import Receipts
