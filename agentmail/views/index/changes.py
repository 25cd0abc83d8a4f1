"""How the files of a mailbox differ from the rows of its index now.

A row is true while the stat of its file is the one recorded. A folder whose own stat stands needs no listing: names come
and go only with it, and what is archived or sent is never edited. The inbox is always listed, and each entry looked at.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.layout import ARCHIVE, INBOX, SENT, Clock
from agentmail.views.index.stored import ORDER, PLACE, restored, stat_text, stored

#: A stat that is younger proves nothing: another change in the same tick of the clock would give the same one.
YOUNG_NS = 2 * 10**9


class Changes:
    """What is otherwise than in the index.

    `gone`: the numbers of rows that are not true, or that another file of the same id hides. `fresh`: place and name of
    the files to read instead, sorted like a listing. `stats`: for each place the stat by which it can be recorded, or
    an empty text. With `every` no folder is taken for unchanged. `avoidable` counts the looks that it would spare then, `doubted` the files known before to have no row.
    """

    def __init__(
        self, box: Mailbox, index: Connection, clock: Clock | None = None, *, every: bool = False
    ) -> None:
        self.box = box
        self.index = index
        #: Not the clock of the bus: the kernel sets the times of files, by its own.
        self.clock = clock or Clock()
        self.gone: set[int] = set()
        self.fresh: list[tuple[str, str]] = []
        self.stats: dict[str, str] = {}
        self.avoidable = 0
        self.doubted = 0
        recorded: dict[int, str] = {} if every else dict(index.execute("select place, stat from folder"))
        # In this order, and the inbox once more, as a listing goes: what moves meanwhile is in one of them.
        self._inbox(first=True)
        for place in (ARCHIVE, SENT):
            self._folder(place, recorded.get(ORDER[place]))
            if place == ARCHIVE:
                self._inbox(first=False)
        self.fresh = sorted(set(self.fresh), key=_listed)
        #: The rows whose files are gone or changed, and the files without a true row, before ids in two places are settled.
        self.dead, self.unknown = frozenset(self.gone), tuple(self.fresh)

    def _inbox(self, *, first: bool) -> None:
        folder = self.box.existing(INBOX)
        if first:
            self._compare(INBOX, folder)
            return
        known = {name for place, name in self.fresh if place == INBOX}
        for name in self._names(folder):
            if name not in known and not self._row(INBOX, name):
                self.fresh.append((INBOX, name))

    def _row(self, place: str, name: str) -> bool:
        row = self.index.execute(
            "select n from message where place = ? and name = ?", (ORDER[place], stored(name))
        ).fetchone()
        return row is not None and row[0] not in self.gone

    def _folder(self, place: str, recorded: str | None) -> None:
        folder = self.box.existing(place)
        now = self.clock.now_ns()
        info = self.box.disk.fstat(folder) if folder is not None else None
        stat = stat_text(info) if info is not None else "none"
        if recorded is not None and stat == recorded:
            doubt = self.index.execute("select name from doubt where place = ?", (ORDER[place],)).fetchall()
            self.fresh += [(place, restored(name)) for (name,) in doubt]
            self.doubted += len(doubt)
            self.stats[place] = stat
            return
        self.stats[place] = stat if info is None or is_settled(info, now) else ""
        self._compare(place, folder)

    def _names(self, folder: int | None) -> list[str]:
        if folder is None:
            return []
        return sorted(one for one in self.box.disk.names(folder) if names.without_suffix(one) != one)

    def _compare(self, place: str, folder: int | None) -> None:
        """Every row of a place beside every file of it, both in the order of the names."""
        rows = self.index.execute(
            "select name, n, stat from message where place = ? order by name", (ORDER[place],)
        )
        row = rows.fetchone()
        invoke = self.box.disk.invoke
        for name in self._names(folder):
            key = stored(name)
            while row is not None and row[0] < key:
                self.gone.add(row[1])
                row = rows.fetchone()
            if row is None or row[0] != key:
                self.fresh.append((place, name))
                continue
            self.avoidable += place != INBOX and self.stats[place] != ""
            try:
                info = invoke("stat", system.stat, name, dir_fd=folder, follow_symlinks=False)
                true = row[2] == stat_text(info)
            except OSError:
                true = False
            if not true:
                self.gone.add(row[1])
                self.fresh.append((place, name))
            row = rows.fetchone()
        while row is not None:
            self.gone.add(row[1])
            row = rows.fetchone()

    def lost(self) -> bool:
        """True where a message that has a row is in no place any more."""
        there = {stored(names.without_suffix(name)) for _, name in self.unknown}
        query = "select id from message where n = ?"
        return any(self.index.execute(query, (n,)).fetchone()[0] not in there for n in self.dead)

    def settle(self) -> None:
        """Of several files of one id only the first of a listing counts."""
        unknown: dict[bytes, list[tuple[str, str]]] = {}
        for place, name in self.unknown:
            unknown.setdefault(stored(names.without_suffix(name)), []).append((place, name))
        hidden = {id for (id,) in self.index.execute("select id from message where not shown")}
        fresh = set(self.fresh)
        for id in hidden.union(unknown):
            rows = self.index.execute("select place, name, n, shown from message where id = ?", (id,))
            found = [(PLACE[place], restored(name), n, shown) for place, name, n, shown in rows]
            found = [one for one in found if one[2] not in self.dead]
            found += [(place, name, 0, 0) for place, name in unknown.get(id, ())]
            if not found:
                continue
            first, *others = sorted(found, key=_listed)
            if first[2] and not first[3]:
                fresh.add(first[:2])
            self.gone.update(n for _, _, n, _ in others if n)
            fresh.difference_update((place, name) for place, name, n, _ in others if not n)
        self.fresh = sorted(fresh, key=_listed)


def edited_in_place(box: Mailbox, index: Connection) -> int:
    """How many files no view would read again, although they are not as recorded."""
    seen, every = Changes(box, index), Changes(box, index, every=True)
    return len(every.dead - seen.dead)


def is_settled(info: system.stat_result, now: int) -> bool:
    """True where the stat is old enough that any further change gives another."""
    return now - max(info.st_mtime_ns, info.st_ctime_ns) >= YOUNG_NS


def _listed(one: tuple[object, ...]) -> tuple[int, str]:
    return ORDER[str(one[0])], str(one[1])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.layout import Mailbox
