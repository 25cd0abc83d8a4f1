"""registry.md, the table of identities that people may edit: its rows, and the owners of a directory."""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import Refused
from agentmail.core.markdown_table import (
    cells,
    ends_table,
    escape,
    is_heading,
    is_row,
    lines_of,
    may_be_row,
    may_have_code,
    plain,
    spans,
    unescape,
    with_cells,
)

MAX_BYTES = 1 << 20
NO_WORKDIR = "-"
SLOTS = (("id", "identity"), ("workdir", "workdir"), ("responsibility", "responsibility"), ("kind", "kind"))
#: The columns that every row needs; `kind` is only in registries that name a person or a program.
NEEDED = ("id", "workdir", "responsibility")
#: What an identity can be other than an agent.
IDENTITY_KINDS = ("human", "program")
#: Said of an identity that has none of these kinds; never written.
AGENT = "agent"
#: Names that a reader takes for a person or a program, so an agent cannot have them.
FOR_PEOPLE_AND_PROGRAMS = frozenset({"human", "user", "system", "overseer", "operator"})
HEADINGS = {
    "id": ("id", "identity", "agent", "agent-id", "agent_id", "身份", "标识"),
    "workdir": ("workdir", "work dir", "working directory", "directory", "path", "工作目录", "目录"),
    "responsibility": ("responsibility", "role", "duty", "职责", "角色"),
    "kind": ("kind", "种类"),
}


class Row:
    """One row of the registry. `kind` is one of IDENTITY_KINDS, or empty for an agent."""

    __slots__ = ("identity", "kind", "responsibility", "workdir")

    def __init__(self, identity: str, workdir: str, responsibility: str, kind: str = "") -> None:
        self.identity = identity
        self.workdir = workdir
        self.responsibility = responsibility
        self.kind = kind


class Registry:
    """A registry as read: `rows` in the file's order, the first of duplicate rows only; `duplicates` names the others.

    `outside` are the lines that begin like a row but belong to no table; `unclosed` is the line at which a code block
    or comment begins that never ends. Both are counted from 1.
    """

    __slots__ = ("duplicates", "outside", "refused", "rows", "unclosed")

    def __init__(self, text: str) -> None:
        self.rows: dict[str, Row] = {}
        self.duplicates: list[str] = []
        self.refused: list[str] = []
        found = Tables(lines_of(text), text)
        self.outside = found.outside
        self.unclosed = found.unclosed
        for table in found.tables:
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

    def nearest(self, directory: bytes) -> tuple[list[str], bytes]:
        """The identities with the longest workdir that holds `directory`, a real path, and that workdir.

        Why bytes: the locale may not be able to encode the names in the registry, which are UTF-8.
        """
        import os  # a call that does not ask for the workdir's owner never needs it

        here = directory + b"/"
        best: list[str] = []
        longest = b""
        for row in self.rows.values():
            if not system.is_absolute(row.workdir) or "\0" in row.workdir:
                continue
            workdir = os.path.realpath(row.workdir.encode())
            if here.startswith(workdir.rstrip(b"/") + b"/"):
                if len(workdir) > len(longest):
                    best, longest = [], workdir
                if workdir == longest:
                    best.append(row.identity)
        return best, longest


class Table:
    """One table: the meaning of its columns, and the numbers of the lines that are its rows."""

    __slots__ = ("columns", "heading", "lines", "rows")

    def __init__(self, lines: list[str], heading: int, rows: Sequence[int] = ()) -> None:
        self.lines = lines
        self.heading = heading
        self.rows = rows
        titles = [cell.casefold() for cell in cells(lines[heading])]
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
            elif name not in self.columns and "kind" in self.columns:
                self.columns[name] = self.columns.pop("kind")

    def row(self, number: int) -> Row:
        """The row on that line."""
        found = cells(self.lines[number])
        values = [
            found[at] if at is not None and at < len(found) else "" for at in map(self.columns.get, HEADINGS)
        ]
        return Row(*map(_meaning, HEADINGS, values))

    @property
    def is_whole(self) -> bool:
        """True if the table has a column for every value of a row."""
        return self.columns.keys() >= set(NEEDED)

    def changed(self, number: int, row: Row) -> str:
        """The line with the values of the row; other columns and equal cells keep their bytes."""
        line = self.lines[number].rstrip("\r\n")
        values = {
            self.columns[name]: (name, getattr(row, slot))
            for name, slot in SLOTS
            if name in self.columns and (name in NEEDED or self.row(number).kind != getattr(row, slot))
        }
        line = with_cells(line, max(values) + 1)
        positions = spans(line)
        for at in sorted(values, reverse=True):
            start, end = positions[at]
            name, value = values[at]
            if _meaning(name, unescape(line[start:end].strip())) != value:
                line = f"{line[:start]} {escape(value)} {line[end:]}"
        return line

    def fresh(self, row: Row) -> str:
        """A new line for the row, without a line end."""
        width = len(cells(self.lines[self.heading]))
        values = {self.columns[name]: getattr(row, slot) for name, slot in SLOTS if name in self.columns}
        return "| " + " | ".join(escape(values.get(at, "")) for at in range(width)) + " |"


def _meaning(name: str, text: str) -> str:
    """The value of a cell. People put a name or an absolute path in backticks; a responsibility stays as written."""
    bare = plain(text)
    if name == "kind":
        return bare.casefold() if bare.casefold() in IDENTITY_KINDS else ""
    return bare if name == "id" or (name == "workdir" and bare.startswith("/")) else text


class Tables:
    """The tables of the registry that have an id column, in the file's order. Code and comments are not looked at."""

    __slots__ = ("_code", "lines", "outside", "tables", "unclosed")

    def __init__(self, lines: list[str], text: str) -> None:
        self.lines = lines
        self.tables: list[Table] = []
        self.outside: list[int] = []
        self.unclosed: int | None = None
        self._code: set[int] = set()
        if may_have_code(text):
            from agentmail.core.markdown_code import Code

            code = Code(lines)
            self._code = code.lines
            self.unclosed = None if code.unclosed is None else code.unclosed + 1
        self._find()

    def _find(self) -> None:
        lines, code = self.lines, self._code
        at = 0
        while at < len(lines):
            if at in code:
                at += 1
            elif at + 1 < len(lines) and at + 1 not in code and is_heading(lines[at], lines[at + 1]):
                rows, end = self._rows(at + 2)
                table = Table(lines, at, rows)
                if "id" in table.columns:
                    self.tables.append(table)
                at = end
            else:
                if is_row(lines[at]):
                    self.outside.append(at + 1)
                at += 1

    def _rows(self, at: int) -> tuple[list[int], int]:
        """The lines of the rows from here on, and the line at which the table ends."""
        rows: list[int] = []
        while at < len(self.lines) and at not in self._code and not ends_table(self.lines[at]):
            if may_be_row(self.lines[at]):
                rows.append(at)
            at += 1
        return rows, at


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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
