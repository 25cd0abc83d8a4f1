"""The lines of a markdown text that are code or comments: fences, indented code, HTML comments, <pre> and its like.

The rules are those of CommonMark, as far as they decide whether a line can be a row of a table.
"""

from __future__ import annotations

from agentmail.core.markdown_table import list_marker

#: HTML elements whose content is literal text.
LITERAL = ("pre", "script", "style", "textarea")
INDENT = 4


class Code:
    """`lines` has the numbers of the lines that are code or comments; `unclosed` the line of a block without an end."""

    __slots__ = ("_close", "_content", "_in_text", "_lines", "lines", "unclosed")

    def __init__(self, lines: list[str]) -> None:
        self.lines: set[int] = set()
        self.unclosed: int | None = None
        self._lines = lines
        #: What ends the open block: a fence, or a text.
        self._close = ""
        #: The column at which the content of the list item begins that this line may belong to.
        self._content = 0
        #: True if an indented line continues the paragraph above it, so that it is not code.
        self._in_text = False
        for at, line in enumerate(lines):
            self._look(at, line.lstrip("\ufeff") if not at else line)

    def _look(self, at: int, line: str) -> None:
        bare = line.strip()
        indent = _indent(line)
        if bare and indent < self._content:
            self._content = 0
            if _is_fence(self._close):
                self._end()  # the list item ended, and the fence in it
        if self._close:
            self.lines.add(at)
            if self._closes(bare, indent):
                self._end()
        elif at in self.lines or not bare:
            self._in_text = False
        elif indent - self._content >= INDENT and not self._in_text:
            self.lines.add(at)
        else:
            self._open(at, self._after_marker(line, bare))

    def _end(self) -> None:
        self._close, self.unclosed = "", None

    def _after_marker(self, line: str, bare: str) -> str:
        """The line's text after the markers of a list item, whose content begins there."""
        marker = list_marker(bare)
        while marker:
            bare = bare[marker:].lstrip()
            self._content = len(line.rstrip()) - len(bare)
            marker = list_marker(bare)
        return bare

    def _open(self, at: int, bare: str) -> None:
        """Open the block that begins on this line, if one does."""
        self._in_text = not bare.startswith(("|", "#"))
        fence = _fence(bare)
        if fence:
            self._close = fence
        elif bare.startswith("<"):
            self._close = _literal(bare)
        elif "<!--" in bare and not bare.startswith("|"):
            self._inline(at, bare)
        if self._close:
            self._in_text = False
            self.lines.add(at)
            self.unclosed = at
            if not fence and self._closes(bare[2:], 0):
                self._end()

    def _inline(self, at: int, bare: str) -> None:
        """A comment that begins inside of a paragraph ends in it, else it is no comment."""
        if "-->" in bare[bare.rindex("<!--") :]:
            return
        end = at + 1
        while end < len(self._lines) and self._lines[end].strip():
            if "-->" in self._lines[end]:
                self.lines.update(range(at + 1, end + 1))
                return
            end += 1

    def _closes(self, bare: str, indent: int) -> bool:
        if not _is_fence(self._close):
            return self._close in bare.lower()
        only = not bare.strip(self._close[0])
        return only and len(bare) >= len(self._close) and indent - self._content < INDENT


def _indent(line: str) -> int:
    """The column of the first character that is not a space or a tab."""
    column = 0
    for c in line:
        if c == "\t":
            column += INDENT - column % INDENT
        elif c == " ":
            column += 1
        else:
            break
    return column


def _is_fence(close: str) -> bool:
    return close[:1] in ("`", "~")


def _fence(bare: str) -> str:
    """The fence that opens here, such as ``` or ~~~~, or an empty string."""
    for c in "`~":
        length = len(bare) - len(bare.lstrip(c))
        if length >= 3 and not (c == "`" and c in bare[length:]):
            return c * length
    return ""


def _literal(bare: str) -> str:
    """The text that ends the comment or the literal element that opens here, or an empty string."""
    if bare.startswith("<!--"):
        return "-->"
    lower = bare[1:12].lower()
    for name in LITERAL:
        if lower.startswith(name) and not lower[len(name) : len(name) + 1].isalnum():
            return f"</{name}>"
    return ""
