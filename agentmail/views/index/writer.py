"""Writes the index of a mailbox: made anew, or brought up to date, in one transaction without a journal.

What is written is read from the files again: an answer keeps no text of what it went through.

Why no journal: a file that was not completed has no seal and is never read, so nothing is ever taken back.
"""

from __future__ import annotations

from agentmail.core import gz
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.message_files import contents, read_file
from agentmail.views.base import Entry
from agentmail.views.index.changes import Changes, is_settled
from agentmail.views.index.file import NONE, other_reader
from agentmail.views.index.rows import INSERT, LOOKUPS, TABLES, WORDS, Rows
from agentmail.views.index.select import has_words
from agentmail.views.index.stored import ORDER, restored, stat_text, stored

PRAGMAS = (
    "page_size = 16384",
    "journal_mode = off",
    "synchronous = off",
    "secure_delete = on",
    "temp_store = memory",
)


class Writer:
    """Brings the tables of an open index up to date with the files of a mailbox."""

    def __init__(self, box: Mailbox, connection: Connection) -> None:
        self.box = box
        self.run = connection.execute
        self.connection = connection
        self.now = 0
        #: The places with a file that is too young for a row: they are compared again at the next use.
        self.young: set[str] = set()
        #: The checksums of the texts that were removed in one place and are in another.
        self.kept: set[int] = set()
        self.lost: set[int] = set()

    def make(self) -> None:
        """The tables of an empty index."""
        for statement in TABLES:
            self.run(statement)
        try:
            self.run(WORDS)
        except self.connection.OperationalError:
            return  # an SQLite without trigrams: then the text itself is looked through

    def update(self, changes: Changes, progress: Progress | None = None) -> None:
        """Remove the rows that are not true, add those that lack, record the folders."""
        self.now = changes.clock.now_ns()
        with_words = has_words(self.connection)
        self.lost = self._remove(changes.dead, with_words)
        without_row = self._add(changes.unknown, with_words, progress)
        for statement in LOOKUPS:
            self.run(statement)
        self._show_first()
        self._record(changes, without_row)
        if with_words and self.lost - self.kept:
            # A text that was removed leaves no trigram of its own behind.
            self.run("insert into words(words) values('optimize')")

    def _remove(self, numbers: Iterable[int], with_words: bool) -> set[int]:
        """Delete rows; the checksums of their texts."""
        lost: set[int] = set()
        for n in numbers:
            for (text,) in self.run("select text from body where n = ?", (n,)).fetchall():
                lost.add(hash(text))
                if with_words:
                    self.run(
                        "insert into words(words, rowid, text) values('delete', ?, ?)", (n, text.decode())
                    )
            for table in ("message", "panel", "body"):
                self.run(f"delete from {table} where n = ?", (n,))
        return lost

    def _add(
        self, files: Collection[tuple[str, str]], with_words: bool, progress: Progress | None
    ) -> list[tuple[str, str]]:
        """Add the rows of these files; those that have none, because they cannot be read or are too young."""
        without_row = []
        (n,) = self.run("select coalesce(max(n), 0) from message").fetchone()
        # By name, which is by time: rows of one time lie together.
        ordered = sorted(files, key=_name)
        for place, name in progress(ordered, "indexing") if progress else ordered:
            rows = self._rows(n + 1, place, name)
            if rows is None:
                without_row.append((place, name))
                continue
            n += 1
            self.run(INSERT, rows.message)
            self.run("insert into panel values(?, ?, ?)", rows.panel)
            if rows.text is not None:
                text = rows.text.encode()
                if self.lost:
                    self.kept.add(hash(text))
                self.run("insert into body values(?, ?)", (n, text))
                if with_words:
                    self.run("insert into words(rowid, text) values(?, ?)", (n, rows.text))
        return without_row

    def _rows(self, n: int, place: str, name: str) -> Rows | None:
        try:
            found = read_file(self.box, place, name)
            if found is None:
                return None
            if not is_settled(found[1], self.now):
                self.young.add(place)
                return None
            return Rows(
                n, Entry(place, name, contents(name, found[0])), stat_text(found[1]), self.box.identity
            )
        except (gz.Damaged, NotFound, Refused, OSError):
            return None

    def _show_first(self) -> None:
        """Of several rows of one id the first of a listing is shown."""
        self.run("update message set shown = 1 where not shown")
        twice = self.run("select id from message group by id having count(*) > 1").fetchall()
        for (id,) in twice:
            found = self.run("select place, name, n from message where id = ?", (id,)).fetchall()
            _, *others = sorted((place, restored(name), n) for place, name, n in found)
            self.connection.executemany(
                "update message set shown = 0 where n = ?", [(n,) for *_, n in others]
            )

    def _record(self, changes: Changes, without_row: list[tuple[str, str]]) -> None:
        self.run("delete from folder")
        self.run("delete from doubt")
        for place in (ARCHIVE, SENT):
            if changes.stats[place] and place not in self.young:
                self.run("insert into folder values(?, ?)", (ORDER[place], changes.stats[place]))
        self.connection.executemany(
            "insert into doubt values(?, ?)",
            [(ORDER[place], stored(name)) for place, name in without_row if place != INBOX],
        )
        if other_reader() != NONE:
            self.run("insert or replace into about values('headers', ?)", (other_reader(),))


def _name(one: tuple[str, str]) -> str:
    return one[1]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from sqlite3 import Connection

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Progress
