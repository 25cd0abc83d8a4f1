"""What a view goes over: the messages of a mailbox, as entries, from a reader.

A reader is interchangeable: `scan` reads the files, and any other must give the same answers.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.message import Message, read_message, sort_key

EVERYWHERE = (INBOX, ARCHIVE, SENT)
#: What a walk through messages does, as a bar says it.
READING = "reading"


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

    @classmethod
    def of_message(cls, place: str, name: str, message: Message) -> Entry:
        """An entry whose message was parsed before."""
        entry = cls(place, name, None)
        entry._message = message
        return entry

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

    def sort_key(self) -> Key:
        """Oldest first, in the order of `check`."""
        return sort_key(self.name, self.message.get("date"))

    def without_body(self) -> Entry:
        """The same entry, its body dropped: for a view that keeps many."""
        self.message.body = b""
        return self


class Wanted:
    """What a view looks for: a reader may leave out what cannot match, and the view decides what does.

    `words` are casefolded and all in the message; `thread`, `sender` and `kind` are those of the message. `since` and
    `until` are stamps of minutes: the name is not before the one, and before the other. What is empty bounds nothing.
    """

    __slots__ = ("kind", "sender", "since", "thread", "until", "words")

    def __init__(
        self,
        words: Sequence[str] = (),
        *,
        thread: str = "",
        sender: str = "",
        kind: str = "",
        since: str = "",
        until: str = "",
    ) -> None:
        self.words = words
        self.thread = thread
        self.sender = sender
        self.kind = kind
        self.since = since
        self.until = until

    @property
    def needles(self) -> list[str]:
        """Casefolded texts that are all in a message that matches."""
        return [*self.words, *(one.casefold() for one in (self.thread, self.sender) if one)]


EVERYTHING = Wanted()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from agentmail.core.layout import Mailbox
    from agentmail.views.threads import ThreadSum

    T = TypeVar("T")
    Key = tuple[str, str, tuple[str, str, int, str]]
    Listing = Iterable[tuple[str, str]]
    #: Sees what is walked, with the word for what is done to each, and gives it on.
    Progress = Callable[[Iterable[Any], str], Iterable[Any]]

    class Reader(Protocol):
        """Gives the messages of a mailbox. Where two readers differ, the one over the files is right.

        `unreadable` takes a line for each message that is damaged; `progress` sees a listing as it is walked.
        """

        def entries(
            self,
            box: Mailbox,
            places: Collection[str] = EVERYWHERE,
            wanted: Wanted = EVERYTHING,
            *,
            unreadable: list[str] | None = None,
            progress: Progress | None = None,
        ) -> Iterator[Entry]:
            """The messages in these places, each id once, in no order; at least those that match, and all that are damaged."""

        def newest(
            self,
            box: Mailbox,
            wanted: Wanted,
            judge: Callable[[Entry], T | None],
            most: int | None = None,
            *,
            unreadable: list[str] | None = None,
            progress: Progress | None = None,
        ) -> tuple[list[T], bool]:
            """What `judge` makes of the messages that match, the newest first, up to `most`; True where there are more.

            `unreadable` is complete where nothing is left out.
            """

        def headers(
            self,
            box: Mailbox,
            places: Collection[str] = EVERYWHERE,
            *,
            unreadable: list[str] | None = None,
            progress: Progress | None = None,
        ) -> Iterator[Entry]:
            """The messages in these places without their bodies, each id once, in no order."""

        def find(self, box: Mailbox, id: str) -> Entry | None:
            """The message of an id, wherever in the mailbox it is."""

        def sums(
            self, box: Mailbox, *, unreadable: list[str] | None = None, progress: Progress | None = None
        ) -> list[ThreadSum]:
            """A sum for each thread, the one with the latest message last."""

        def counts(self, box: Mailbox) -> dict[str, int]:
            """How many messages there are in each place, each id once."""

        def answers(self, box: Mailbox, ids: Collection[str]) -> Iterator[Entry]:
            """The received messages that name one of these ids in `re`, without their bodies."""
