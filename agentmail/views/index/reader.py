"""The reader over an index: its rows say which files to read, and in lists what those hold; the rest is read as ever."""

from __future__ import annotations

from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.views.base import EVERYTHING, EVERYWHERE, READING, Entry
from agentmail.views.index.changes import Changes
from agentmail.views.index.opening import opened_rows, remove_damaged
from agentmail.views.index.select import matching_rows
from agentmail.views.index.stored import ORDER, PLACE, message_of, restored
from agentmail.views.scan import SCAN, read_entry
from agentmail.views.threads import add_to, in_order


def open_index(file: IndexFile, box: Mailbox) -> Indexed | None:
    """The reader over the index of a mailbox; None where it cannot be used now."""
    connection = opened_rows(file)
    if connection is None:
        return None
    try:
        return Indexed(box, connection)
    except connection.Error as error:
        connection.close()
        remove_damaged(file, connection, error)
    except BaseException:
        connection.close()
        raise
    return None


class Indexed:
    """The `Reader` of one mailbox with an index. `changes` says what of it does not count now."""

    def __init__(self, box: Mailbox, connection: Connection) -> None:
        self.connection = connection
        self.changes = Changes(box, connection)
        self.lost = self.changes.lost()
        self.changes.settle()
        if self.changes.gone:
            connection.execute("create temp table gone(n integer primary key)")
            connection.executemany("insert into gone values(?)", ((n,) for n in self.changes.gone))
        #: What a query asks for besides: the rows that count.
        self.condition = "shown" + (" and n not in (select n from gone)" if self.changes.gone else "")

    def entries(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        wanted: Wanted = EVERYTHING,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places that may match, read from their files."""
        query, values = matching_rows(self.connection, self.condition, wanted)
        found = [(PLACE[place], restored(name)) for place, name in self.connection.execute(query, values)]
        listed = [one for one in (*self.changes.fresh, *found) if one[0] in places]
        needles = wanted.needles
        for place, name in progress(listed, READING) if progress else listed:
            entry = read_entry(box, place, name, unreadable)
            if entry is not None and entry.may_hold(needles):
                yield entry

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
        """What `judge` makes of the messages that match, the newest first; once there are enough, no more are read."""
        fresh = [read_entry(box, place, name, unreadable) for place, name in self.changes.fresh]
        new = sorted((one for one in fresh if one is not None), key=Entry.sort_key)
        query, values = matching_rows(self.connection, self.condition, wanted)
        rows = self.connection.execute(f"{query} order by key desc", values).fetchall()
        listed = [(PLACE[place], restored(name)) for place, name in rows]
        found: list[T] = []
        for place, name in progress(listed, READING) if progress else listed:
            entry = read_entry(box, place, name, unreadable)
            if entry is None:
                continue
            while new and new[-1].sort_key() > entry.sort_key():
                _add(found, judge(new.pop()))
            _add(found, judge(entry))
            if most is not None and len(found) > most:
                return found[:most], True
        for entry in reversed(new):
            _add(found, judge(entry))
        return found[:most], most is not None and len(found) > most

    def headers(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places without their bodies."""
        for place, name in progress(self.changes.fresh, READING) if progress else self.changes.fresh:
            entry = read_entry(box, place, name, unreadable) if place in places else None
            if entry is not None:
                yield entry.without_body()
        numbers = ", ".join(str(ORDER[place]) for place in places)
        yield from self._rows(f"place in ({numbers})")

    def _rows(self, condition: str) -> Iterator[Entry]:
        query = f"select place, name, header from message where {condition} and {self.condition}"
        for place, name, header in self.connection.execute(query):
            yield Entry.of_message(PLACE[place], restored(name), message_of(header))

    def find(self, box: Mailbox, id: str) -> Entry | None:
        """The message of an id: two or three looks, which need no index."""
        return SCAN.find(box, id)

    def sums(
        self, box: Mailbox, *, unreadable: list[str] | None = None, progress: Progress | None = None
    ) -> list[ThreadSum]:
        """A sum for each thread, made by the database."""
        from agentmail.views.index.sums import sums_of_rows

        sums = sums_of_rows(self.connection, self.condition)
        for place, name in progress(self.changes.fresh, READING) if progress else self.changes.fresh:
            entry = read_entry(box, place, name, unreadable)
            if entry is not None:
                add_to(sums, entry)
        return in_order(sums)

    def counts(self, _box: Mailbox) -> dict[str, int]:
        """How many messages there are in each place."""
        found = [place for place, _ in self.changes.fresh]
        query = f"select place, count(*) from message where {self.condition} group by place"
        rows = dict(self.connection.execute(query))
        return {place: found.count(place) + rows.get(ORDER[place], 0) for place in EVERYWHERE}

    def answers(self, box: Mailbox, ids: Collection[str]) -> Iterator[Entry]:
        """The received messages that name one of these ids in `re`."""
        for place, name in self.changes.fresh:
            entry = read_entry(box, place, name) if place in (INBOX, ARCHIVE) else None
            if entry is not None and entry.message.get("re") in ids:
                yield entry.without_body()
        for entry in self._rows(f"re != x'' and place != {ORDER[SENT]}"):
            if entry.message.get("re") in ids:
                yield entry


def _add(found: list[T], judged: T | None) -> None:
    if judged is not None:
        found.append(judged)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from sqlite3 import Connection

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Progress, T, Wanted
    from agentmail.views.index.file import IndexFile
    from agentmail.views.threads import ThreadSum
