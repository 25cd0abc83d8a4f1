"""Edits of registry.md, as bytes to bytes.

Why it works on the bytes of the file: people write in it, so all bytes outside the edited row have to stay.
"""

from __future__ import annotations

import os

from agentmail.core.markdown_table import CONFLICT_MARKS, lines_of
from agentmail.core.registry import MAX_BYTES, Registry, Table, Tables, decoded, unsafe

NEW_TABLE = "| id | workdir | responsibility |\n|---|---|---|\n"
NEW_FILE = "# Registry\n\n" + NEW_TABLE


def refuse_planted_link(path: str, data: bytes | None) -> None:
    """A symlink may lead to a registry that is kept elsewhere, and to nothing else.

    Why: whoever shares the bus can put a symlink there, and the first row would be written into any file of ours.
    """
    if data is None or not os.path.islink(path):
        return
    text = decoded(data)
    if not Tables(lines_of(text), text).tables:
        raise unsafe(
            "is a symlink to a file that holds no registry",
            "look at the link, and remove it if it is not yours",
        )


def edited(data: bytes | None, row: Row) -> bytes:
    """The bytes of the registry with that row; the same object if nothing changes. Refused if that is unsafe."""
    new = _edited(data, row)
    if len(new) > MAX_BYTES:
        raise unsafe("would grow over 1 MiB", "remove rows that are not needed")
    after = Registry(new.decode())
    found = after.rows.get(row.identity)
    if found is None and after.unclosed:
        raise unsafe(
            f"has a code block or comment that begins on line {after.unclosed} and never ends",
            "end it, then register again",
        )
    if found is None or _values(found) != _values(row):
        raise unsafe(
            f"has no place for a workdir and a responsibility beside {row.identity}",
            "give its table the columns id, workdir and responsibility",
        )
    return new


def _values(row: Row) -> tuple[str, str, str]:
    return row.workdir, row.responsibility, row.kind


def renamed(data: bytes | None, old: str, new: str) -> bytes | None:
    """The bytes of the registry with another name in the row of `old`; the same object if it has none."""
    return _each(data, old, lambda table, number: table.changed(number, _named(table.row(number), new)))


def without(data: bytes | None, identity: str) -> bytes | None:
    """The bytes of the registry without the rows of an identity; the same object if it has none."""
    return _each(data, identity, lambda *_: "")


def _named(row: Row, identity: str) -> Row:
    row.identity = identity
    return row


def _each(data: bytes | None, identity: str, change: Callable[[Table, int], str]) -> bytes | None:
    """Change every row of an identity; an empty line removes it. Refused in a merge conflict."""
    if data is None:
        return None
    text = decoded(data)
    lines = _undivided(text)
    out = list(lines)
    for table in Tables(lines, text).tables:
        for number in table.rows:
            if table.row(number).identity == identity:
                line = lines[number]
                new = change(table, number)
                out[number] = new + line[len(line.rstrip("\r\n")) :] if new else ""
    return data if out == lines else "".join(out).encode()


def _undivided(text: str) -> list[str]:
    """The lines of the registry; Refused where a merge conflict divides them."""
    lines = lines_of(text)
    if any(line.startswith(CONFLICT_MARKS) for line in lines):
        raise unsafe("holds the marks of a merge conflict", "resolve the conflict, then try again")
    return lines


def _edited(data: bytes | None, row: Row) -> bytes:
    text = NEW_FILE if data is None else decoded(data)
    lines = _undivided(text)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    found = Tables(lines, text).tables
    for table in found:
        for number in table.rows:
            if table.row(number).identity == row.identity:
                whole = _with_kind(table) if row.kind else table
                return _replaced(data, lines, number, whole.changed(number, row))
    complete = [table for table in found if table.is_whole]
    if not complete:
        gap = "" if not lines else ending if lines[-1].endswith("\n") else ending * 2
        new = Table(NEW_TABLE.splitlines(), 0)
        new = _with_kind(new) if row.kind else new
        added = ending.join([*new.lines, new.fresh(row), ""])
        return (text + gap + added).encode()
    table = _with_kind(complete[0]) if row.kind else complete[0]
    last = table.rows[-1] if table.rows else table.heading + 1
    fresh = table.fresh(row) + ending if lines[last].endswith("\n") else ending + table.fresh(row)
    return "".join([*lines[: last + 1], fresh, *lines[last + 1 :]]).encode()


def _with_kind(table: Table) -> Table:
    """The table with a column for the kind, added to the lines that it stands in if it has none."""
    if "kind" in table.columns:
        return table
    for number, text in ((table.heading, " kind |"), (table.heading + 1, "---|")):
        line = table.lines[number]
        bare = line.rstrip()
        end = line[len(line.rstrip("\r\n")) :]
        table.lines[number] = bare + ("" if bare.endswith("|") else " |") + text + end
    return Table(table.lines, table.heading, table.rows)


def _replaced(data: bytes | None, lines: list[str], number: int, new: str) -> bytes:
    line = lines[number]
    end = line[len(line.rstrip("\r\n")) :]
    if data is not None and new + end == line:
        return data
    return "".join([*lines[:number], new + end, *lines[number + 1 :]]).encode()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.registry import Row
