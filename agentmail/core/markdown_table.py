"""The syntax of a markdown table: lines, cells with their positions, and escapes in a cell."""

from __future__ import annotations

#: Without one of these texts, no line can be code or a comment.
CODE_MARKS = ("```", "~~~", "<!--", "<pre", "<script", "<style", "<textarea", "\n    ", "\t")
#: What divides the two sides of a merge conflict; none of it is a row.
CONFLICT_MARKS = ("<<<<<<<", ">>>>>>>")


def lines_of(text: str) -> list[str]:
    """The lines with their line ends. Only a newline ends a line: str.splitlines has ten other characters."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + ([rest] if rest else [])


def is_row(line: str) -> bool:
    """True for a line that begins like a row: with a pipe."""
    return line.lstrip("\ufeff").lstrip().startswith("|")


def is_rule(line: str) -> bool:
    """True for the line of dashes under a table's heading."""
    return "|" in line and "-" in line and not line.strip().strip("|-: \t")


def is_heading(line: str, below: str) -> bool:
    """True for a table's heading: the line below it is a rule. Without a pipe at its start, it has the same width."""
    if not is_rule(below):
        return False
    return is_row(line) or ("|" in line and len(spans(line)) == len(spans(below)) > 1)


def may_be_row(line: str) -> bool:
    """True for a line that is a row if it stands in a table: it begins with a pipe or has one between cells."""
    return is_row(line) or ("|" in line and len(spans(line.rstrip("\r\n"))) > 1)


def spans(line: str) -> list[tuple[int, int]]:
    """The positions of the cells in a row, between the pipes that are not escaped; the first pipe may be missing."""
    found: list[tuple[int, int]] = []
    start = line.index("|") + 1 if is_row(line) else len(line) - len(line.lstrip("\ufeff"))
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


def plain(text: str) -> str:
    """The text of a cell without comments and without the backticks around it."""
    while "<!--" in text and "-->" in text[text.index("<!--") :]:
        start = text.index("<!--")
        text = (text[:start] + text[text.index("-->", start) + 3 :]).strip()
    ticks = len(text) - len(text.lstrip("`"))
    inner = text[ticks : len(text) - ticks]
    return inner.strip() if ticks and text.endswith("`" * ticks) and inner and "`" not in inner else text


def may_have_code(text: str) -> bool:
    """False if no line of the text can be code or a comment, as in most registries, which need no closer look."""
    lower = text.lower()
    return text.startswith("    ") or any(mark in lower for mark in CODE_MARKS)


def ends_table(line: str) -> bool:
    """True for a line that no table goes beyond: empty, a heading, a quote, a list item, a rule, a conflict mark."""
    bare = line.strip()
    if bare.startswith("|"):
        return False
    is_break = len(bare) >= 3 and bare[0] in "-*_" and not bare.replace(" ", "").strip(bare[0])
    return (
        not bare or is_break or bare.startswith((">", "# ", "##", *CONFLICT_MARKS)) or list_marker(bare) > 0
    )


def list_marker(bare: str) -> int:
    """The length of the list marker at the start of the text, or 0."""
    if bare[:1] in ("-", "*", "+") and bare[1:2] in (" ", "\t"):
        return 2
    number = len(bare) - len(bare.lstrip("0123456789"))
    if 1 <= number <= 9 and bare[number : number + 1] in (".", ")") and bare[number + 1 : number + 2] == " ":
        return number + 2
    return 0
