"""Every message of a mailbox, whatever folder it is in, read from the files one at a time: always right, never fast."""

from __future__ import annotations

from agentmail.core import gz, names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.message_files import contents, read_file
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
        entry = entry_at(box, place, name) or _moved(box, place, names.without_suffix(name))
        if entry is not None:
            if entry.damaged and unreadable is not None:
                unreadable.append(f"{place}/{names.printable(name)}: {entry.damaged}")
            yield entry


def entry_at(box: Mailbox, place: str, name: str) -> Entry | None:
    """One message; None where there is no such file. A damaged one says why."""
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
    return entry_at(box, ARCHIVE, f"{id}.md.gz") if place == INBOX else entry_at(box, INBOX, f"{id}.md")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.core.layout import Mailbox
