"""What a view goes over: the messages of a mailbox, as entries, from a reader.

A reader is interchangeable: `scan` reads the files, and any other must give the same entries.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.message import Message, read_message, sort_key

EVERYWHERE = (INBOX, ARCHIVE, SENT)


class Entry:
    """A message with the place it is in, parsed from its bytes when it is first asked for.

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
            self._message = Message({}) if self._data is None else read_message(self._data)
            self._data = None
        return self._message

    @property
    def thread(self) -> str:
        """The thread it belongs to: the one it names, else its own id."""
        return self.message.thread or self.id

    def may_hold(self, words: Iterable[str]) -> bool:
        """False where one of these casefolded words is nowhere in it, judged from its bytes without parsing them.

        An escape or a duplicate quote in a header can spell a word that the bytes do not, and letters beyond ASCII
        fold in other ways; then only parsing can tell, and the answer is True.
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
        """Oldest first, in the order of `check`."""
        return sort_key(self.name, self.message.get("date"))

    def without_body(self) -> Entry:
        """The same entry, its body dropped: for a view that keeps many."""
        self.message.body = b""
        return self


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Protocol

    from agentmail.core.layout import Mailbox

    Listing = Iterable[tuple[str, str]]

    class Reader(Protocol):
        """Gives the messages of a mailbox. Where two readers differ, the one over the files is right."""

        def entries(
            self,
            box: Mailbox,
            places: Collection[str] = EVERYWHERE,
            words: Iterable[str] = (),
            *,
            unreadable: list[str] | None = None,
            progress: Callable[[Listing], Listing] | None = None,
        ) -> Iterator[Entry]:
            """The messages in these places, each id once, in no order; at least those that hold all the words.

            `unreadable` takes a line for each that is damaged; `progress` sees the listing as it is walked.
            """

        def find(self, box: Mailbox, id: str) -> Entry | None:
            """The message of an id, wherever in the mailbox it is."""
