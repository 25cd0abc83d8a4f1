"""registry.md, the table of identities that people may edit: its rows, one edited row, the owners of a directory.

Why it works on the bytes of the file: people write in it, so all bytes outside the edited row have to stay.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.markdown_table import (
    cells,
    escape,
    is_row,
    is_rule,
    lines_of,
    spans,
    unescape,
    with_cells,
)

MAX_BYTES = 1 << 20
NO_WORKDIR = "-"
SLOTS = (("id", "identity"), ("workdir", "workdir"), ("responsibility", "responsibility"))
HEADINGS = {
    "id": ("id", "identity", "agent", "agent-id", "agent_id", "身份", "标识"),
    "workdir": ("workdir", "work dir", "working directory", "directory", "path", "工作目录", "目录"),
    "responsibility": ("responsibility", "role", "duty", "职责", "角色"),
}
NEW_TABLE = "| id | workdir | responsibility |\n|---|---|---|\n"
NEW_FILE = "# Registry\n\n" + NEW_TABLE


class Row:
    """One row of the registry."""

    __slots__ = ("identity", "responsibility", "workdir")

    def __init__(self, identity: str, workdir: str, responsibility: str) -> None:
        self.identity = identity
        self.workdir = workdir
        self.responsibility = responsibility


class Registry:
    """A registry as read: `rows` in the file's order, the first of duplicate rows only; `duplicates` names the others."""

    __slots__ = ("duplicates", "refused", "rows")

    def __init__(self, text: str) -> None:
        self.rows: dict[str, Row] = {}
        self.duplicates: list[str] = []
        self.refused: list[str] = []
        for table in tables(lines_of(text)):
            for number in table.rows:
                self._add(table.row(number))

    def _add(self, row: Row) -> None:
        if not names.is_identity(row.identity):
            if row.identity:
                self.refused.append(row.identity)
        elif row.identity in self.rows:
            self.duplicates.append(row.identity)
        else:
            self.rows[row.identity] = row

    def owners(self, directory: str) -> list[str]:
        """The identities whose workdir holds `directory`: the longest match; several if their workdirs are equal."""
        # As bytes: the locale may not be able to encode the names in the registry, which are UTF-8.
        here = os.path.realpath(os.fsencode(directory)) + b"/"
        best: list[str] = []
        length = 0
        for row in self.rows.values():
            if not os.path.isabs(row.workdir) or "\0" in row.workdir:
                continue
            workdir = os.path.realpath(row.workdir.encode())
            if here.startswith(workdir.rstrip(b"/") + b"/"):
                if len(workdir) > length:
                    best, length = [], len(workdir)
                if len(workdir) == length:
                    best.append(row.identity)
        return best


class Table:
    """One table with an id column: the meaning of its columns, and the lines of its rows."""

    __slots__ = ("columns", "lines", "rows")

    def __init__(self, lines: list[str], header: int) -> None:
        self.lines = lines
        titles = [cell.casefold() for cell in cells(lines[header])]
        self.columns: dict[str, int] = {}
        for name, words in HEADINGS.items():
            for word in words:
                if word in titles:
                    self.columns.setdefault(name, titles.index(word))
        # A heading in unknown words: the remaining columns, in order.
        left = [at for at in range(len(titles)) if at not in self.columns.values()]
        for name in ("workdir", "responsibility"):
            if name not in self.columns and left:
                self.columns[name] = left.pop(0)
        self.rows = range(header + 2, header + 2)
        while self.rows.stop < len(lines) and is_row(lines[self.rows.stop]):
            self.rows = range(header + 2, self.rows.stop + 1)

    def row(self, number: int) -> Row:
        """The row on that line."""
        found = cells(self.lines[number])
        values = [
            found[at] if at is not None and at < len(found) else "" for at in map(self.columns.get, HEADINGS)
        ]
        return Row(*values)

    @property
    def is_whole(self) -> bool:
        """True if the table has a column for every value of a row."""
        return len(self.columns) == len(SLOTS)

    def changed(self, number: int, row: Row) -> str:
        """The line with the values of the row; other columns and equal cells keep their bytes."""
        line = self.lines[number].rstrip("\r\n")
        values = {self.columns[name]: getattr(row, slot) for name, slot in SLOTS if name in self.columns}
        line = with_cells(line, max(values) + 1)
        positions = spans(line)
        for at in sorted(values, reverse=True):
            start, end = positions[at]
            if unescape(line[start:end].strip()) != values[at]:
                line = f"{line[:start]} {escape(values[at])} {line[end:]}"
        return line

    def fresh(self, row: Row) -> str:
        """A new line for the row, without a line end."""
        width = len(cells(self.lines[self.rows.start - 2]))
        values = {self.columns[name]: getattr(row, slot) for name, slot in SLOTS if name in self.columns}
        return "| " + " | ".join(escape(values.get(at, "")) for at in range(width)) + " |"


def tables(lines: list[str]) -> list[Table]:
    """The tables that have an id column, in the file's order."""
    found: list[Table] = []
    at = 0
    while at + 1 < len(lines):
        if is_row(lines[at]) and is_rule(lines[at + 1]):
            table = Table(lines, at)
            if "id" in table.columns:
                found.append(table)
            at = table.rows.stop
        else:
            at += 1
    return found


def edited(data: bytes | None, row: Row) -> bytes:
    """The bytes of the registry with that row; the same object if nothing changes. Refused if that is unsafe."""
    new = _edited(data, row)
    if len(new) > MAX_BYTES:
        raise unsafe("would grow over 1 MiB", "remove rows that are not needed")
    found = Registry(new.decode()).rows.get(row.identity)
    if found is None or (found.workdir, found.responsibility) != (row.workdir, row.responsibility):
        raise unsafe(
            f"has no place for a workdir and a responsibility beside {row.identity}",
            "give its table the columns id, workdir and responsibility",
        )
    return new


def _edited(data: bytes | None, row: Row) -> bytes:
    text = NEW_FILE if data is None else decoded(data)
    lines = lines_of(text)
    if any(line.startswith(("<<<<<<<", ">>>>>>>")) for line in lines):
        raise unsafe("holds the marks of a merge conflict", "resolve the conflict, then register again")
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    found = tables(lines)
    for table in found:
        for number in table.rows:
            if table.row(number).identity == row.identity:
                return _replaced(data, lines, number, table.changed(number, row))
    whole = [table for table in found if table.is_whole]
    if not whole:
        gap = "" if not lines else ending if lines[-1].endswith("\n") else ending * 2
        new = NEW_TABLE.replace("\n", ending) + Table([*NEW_TABLE.splitlines()], 0).fresh(row) + ending
        return (text + gap + new).encode()
    table = whole[0]
    last = table.rows.stop - 1
    fresh = table.fresh(row) + ending if lines[last].endswith("\n") else ending + table.fresh(row)
    return "".join([*lines[: last + 1], fresh, *lines[last + 1 :]]).encode()


def _replaced(data: bytes | None, lines: list[str], number: int, new: str) -> bytes:
    line = lines[number]
    end = line[len(line.rstrip("\r\n")) :]
    if data is not None and new + end == line:
        return data
    return "".join([*lines[:number], new + end, *lines[number + 1 :]]).encode()


def decoded(data: bytes) -> str:
    """The text of the registry; Refused if it is too large or not UTF-8, which never counts as empty."""
    if len(data) > MAX_BYTES:
        raise unsafe("is larger than 1 MiB", "make it smaller")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise unsafe("is not valid UTF-8", "fix it with an editor") from None


def unsafe(what: str, next_step: str) -> Refused:
    """The error of a registry that must not be changed."""
    return Refused(f"registry.md {what}", "it was left as it is", next_step)
