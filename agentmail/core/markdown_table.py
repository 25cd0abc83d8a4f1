"""The syntax of a markdown table: lines, cells with their positions, and escapes in a cell."""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines with their line ends. Only a newline ends a line: str.splitlines has ten other characters."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + ([rest] if rest else [])


def is_row(line: str) -> bool:
    """True for a line that belongs to a table."""
    return line.lstrip("\ufeff").lstrip().startswith("|")


def is_rule(line: str) -> bool:
    """True for the line of dashes under a table's heading."""
    return is_row(line) and "-" in line and not line.strip().strip("|-: \t")


def spans(line: str) -> list[tuple[int, int]]:
    """The positions of the cells in a row, between the pipes that are not escaped."""
    found: list[tuple[int, int]] = []
    start = line.index("|") + 1
    at = start
    while at < len(line):
        if line[at] == "\\":
            at += 1
        elif line[at] == "|":
            found.append((start, at))
            start = at + 1
        at += 1
    if line[start:].strip():
        found.append((start, len(line)))
    return found


def with_cells(line: str, count: int) -> str:
    """The row, with empty cells added up to `count`."""
    found = spans(line)
    if len(found) >= count:
        return line
    is_closed = not found or found[-1][1] < len(line)
    return line.rstrip() + ("" if is_closed else " |") + "  |" * (count - len(found))


def cells(line: str) -> list[str]:
    """The texts of the cells in a row."""
    return [unescape(line[start:end].strip()) for start, end in spans(line.rstrip("\r\n"))]


def escape(text: str) -> str:
    """`text` escaped for a cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|")


def unescape(text: str) -> str:
    """The text of a cell; a backslash that escapes nothing is kept, as people write it."""
    if "\\" not in text:
        return text
    out = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in ("\\", "|") and at + 1 < len(text):
            at += 1
        out.append(text[at])
        at += 1
    return "".join(out)
