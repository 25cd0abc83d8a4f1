"""Which reader a view gets: over the index where there is one, else over the files; and whether an index is worth its cost.

An index that breaks in the middle of a question is left, and the question is answered from the files.
"""

from __future__ import annotations

from agentmail.core.errors import AgentMailError, TryAgain
from agentmail.views.base import EVERYTHING, EVERYWHERE
from agentmail.views.scan import Scan

#: Whoever read so many messages that an index would have spared writes one.
MANY = 200
#: Looking at an entry costs a twentieth of reading it.
LOOKS = 20


class Reading:
    """The `Reader` of one mailbox during a `with` block. `spared` says what an index would have spared, in messages.

    `home` is empty where nothing is kept for this machine: then the files are read.
    """

    def __init__(self, box: Mailbox, home: str) -> None:
        self.box = box
        self.home = home
        self.scan = Scan()
        self.indexed: Indexed | None = None
        self._tried = not home

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_: object) -> None:
        if self.indexed is not None:
            self.indexed.connection.close()

    def is_worth_writing(self) -> bool:
        """True where the next view is much faster with an index, or the text of a message that is gone is in it."""
        lost = self.indexed is not None and self.indexed.lost
        return bool(self.home) and (lost or self.spared > MANY)

    @property
    def spared(self) -> int:
        """How many messages were read, or looked at in their place, that an index would have spared."""
        found = self.scan.read
        if self.indexed is not None:
            changes = self.indexed.changes
            found += len(changes.unknown) - changes.doubted
            found += changes.avoidable // LOOKS
        return found

    def _index(self) -> Indexed | None:
        if not self._tried:
            self._tried = True
            from agentmail.views.index.file import index_of

            file = index_of(self.box, self.home)
            if file.is_sealed():
                from agentmail.views.index.reader import open_index

                self.indexed = open_index(file, self.box)
        return self.indexed

    def entries(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        wanted: Wanted = EVERYTHING,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places that may match."""
        return self._each(
            lambda reader: reader.entries(box, places, wanted, unreadable=unreadable, progress=progress),
            unreadable,
        )

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
        """What `judge` makes of the messages that match, the newest first, up to `most`."""
        return self._answer(
            lambda reader: reader.newest(box, wanted, judge, most, unreadable=unreadable, progress=progress),
            unreadable,
        )

    def headers(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places without their bodies."""
        return self._each(
            lambda reader: reader.headers(box, places, unreadable=unreadable, progress=progress), unreadable
        )

    def find(self, box: Mailbox, id: str) -> Entry | None:
        """The message of an id: two or three looks, which need no index."""
        return self.scan.find(box, id)

    def sums(
        self, box: Mailbox, *, unreadable: list[str] | None = None, progress: Progress | None = None
    ) -> list[ThreadSum]:
        """A sum for each thread."""
        return self._answer(
            lambda reader: reader.sums(box, unreadable=unreadable, progress=progress), unreadable
        )

    def counts(self, box: Mailbox) -> dict[str, int]:
        """How many messages there are in each place."""
        return self._answer(lambda reader: reader.counts(box), None)

    def panel(self, witnesses: Witnesses, whole: Callable[[Entry], str]) -> Iterator[str] | None:
        """Every message as JSON, the oldest first, if that takes little memory; None without an index."""
        indexed = self._index()
        if indexed is None:
            return None
        from agentmail.views.index.panel import Panel

        return self._each(lambda _: Panel(indexed, witnesses, whole).messages(), None)

    def answers(self, box: Mailbox, ids: Collection[str]) -> Iterator[Entry]:
        """The received messages that name one of these ids in `re`."""
        return self._each(lambda reader: reader.answers(box, ids), None)

    def _answer(self, ask: Callable[[Reader], T], unreadable: list[str] | None) -> T:
        indexed, known = self._index(), len(unreadable or ())
        if indexed is not None:
            try:
                return ask(indexed)
            except indexed.connection.Error as error:
                self._leave(indexed, error)
                del (unreadable or [])[known:]
        return ask(self.scan)

    def _each(self, ask: Callable[[Reader], Iterator[T]], unreadable: list[str] | None) -> Iterator[T]:
        indexed, known, given = self._index(), len(unreadable or ()), False
        if indexed is not None:
            try:
                for one in ask(indexed):
                    given = True
                    yield one
                return
            except indexed.connection.Error as error:
                self._leave(indexed, error)
                del (unreadable or [])[known:]
                if given:
                    raise _broken(error) from error
        yield from ask(self.scan)

    def _leave(self, indexed: Indexed, error: Exception) -> None:
        from agentmail.views.index.file import index_of
        from agentmail.views.index.opening import remove_damaged

        self.indexed = None
        indexed.connection.close()
        remove_damaged(index_of(self.box, self.home), indexed.connection, error)


def _broken(error: Exception) -> AgentMailError:
    return TryAgain(
        f"the index broke while it was read: {error}", "the answer above is not complete", "ask again"
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Entry, Progress, Reader, T, Wanted
    from agentmail.views.index.reader import Indexed
    from agentmail.views.receipts import Witnesses
    from agentmail.views.threads import ThreadSum
