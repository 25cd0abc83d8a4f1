"""Adds, replaces and removes values of a JSON text, in the style of its author.

Each edit is one span of the text and its replacement. `remove` deletes exactly the bytes that `append` wrote: new
values come last in their container, right after the one before, so that the span can be found again.

Why `_KEPT`: when our values are removed from a container that held nothing else, the container goes too, since we
made it. A container that existed before, empty, must stay, and only the text can say so: it gets a blank line (in
a one-line text: two spaces) before its closing bracket. A record beside the file was rejected: it would be wrong as
soon as somebody edits the file.
"""

from __future__ import annotations

from agentmail.hosts.settings_file.json_text import BLANK, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.settings_file.json_text import Node

    Edit = tuple[int, int, str]
    Item = tuple[str | None, object]

_KEPT = "  "
_WIDEST = 100  # characters of a margin; a longer one is not copied to each line


class Editor:
    """Collects edits of one document; `text()` is the result of all of them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._source = document.text
        self._edits: list[Edit] = []
        self._style()

    def text(self) -> str | None:
        """The edited text, or None where nothing was edited."""
        if not self._edits:
            return None
        parts, at = [], 0
        for start, end, new in sorted(self._edits):
            parts += [self._source[at:start], new]
            at = end
        return "".join([*parts, self._source[at:]])

    def replace(self, node: Node, value: object) -> None:
        """Replace the value of a node; its key stays."""
        spread = _broken(self._source[node.value : node.end])
        new = self._render((None, value), self._margin(node.start), spread)
        self._edits.append((node.value, node.end, new))

    def update(self, container: Node, values: Mapping[str, object]) -> None:
        """Give members of an object these values: one with another value is replaced, a missing one is added."""
        from json import dumps

        missing: list[Item] = []
        for key, value in values.items():
            member = container.get(key)
            want = Document(dumps({"": value}).encode())
            if member is None:
                missing.append((key, value))
            elif self._document.load(member) != want.load(want.root.items[0]):
                self.replace(member, value)
        self.append(container, missing)

    def append(self, container: Node, items: list[Item]) -> None:
        """Add values after the last one of a container."""
        if not items:
            return
        if not container.items:
            self._fill(container, items)
            return
        last = container.items[-1]
        before = self._before(last)
        own_line = _broken(before)
        spread = own_line or _broken(self._source[last.start : last.end])
        margin = _last_line(before) if own_line else self._margin(last.start)
        gap = self._newline + margin if own_line else self._gap(container)
        new = "".join("," + gap + self._render(item, margin, spread) for item in items)
        self._edits.append((last.end, last.end, new))

    def prepend(self, container: Node, item: Item) -> None:
        """Add a value before the first one of a container that has one."""
        first = container.items[0]
        before = self._before(first)
        margin = _last_line(before) if _broken(before) else self._margin(first.start)
        gap = before if _broken(before) else self._gap(container)
        new = self._render(item, margin, _broken(before)) + "," + gap
        self._edits.append((first.start, first.start, new))

    def remove(self, container: Node, gone: list[Node]) -> None:
        """Remove values from a container; where all go, the white space that it had before them is left."""
        items = container.items
        if len(gone) == len(items):
            self._edits.append((container.value + 1, container.end - 1, self._leftover(container)))
            return
        at = 0
        while at < len(items):
            run = at
            while run < len(items) and items[run] in gone:
                run += 1
            if run > at:
                last = run == len(items)
                start = items[at - 1].end if last else items[at].start
                self._edits.append((start, items[run - 1].end if last else items[run].start, ""))
            at = run + 1

    def kept(self, container: Node) -> bool:
        """Did this container exist, empty, before we put values into it?"""
        after = self._source[container.items[-1].end : container.end - 1]
        return after.startswith((self._newline * 2, _KEPT))

    def _style(self) -> None:
        source, root = self._source, self._document.root
        breaks = [at for at in (source.find("\n"), source.find("\r")) if at >= 0]
        first = min(breaks, default=-1)
        self._newline = (
            "\n" if first < 0 else "\r\n" if source[first : first + 2] == "\r\n" else source[first]
        )
        self._one_line = bool(root.items) and not _broken(source[root.value : root.end])
        self._indent, self._colon = "  ", ": "
        if root.items:
            lead, member = self._before(root.items[0]), root.items[0]
            if _broken(lead):
                self._indent = _last_line(lead).removeprefix(self._margin(root.value))
            between = source[member.start : member.value].rpartition('"')[2]
            self._colon = between if between in (":", " : ") else ": "

    def _fill(self, container: Node, items: list[Item]) -> None:
        """Values for an empty container; the white space in it stays, before them."""
        end = container.end - 1
        mark = container is not self._document.root
        if self._one_line:
            new = ("," + self._gap(container)).join(self._render(item, "", False) for item in items)
            self._edits.append((end, end, new + _KEPT * mark))
            return
        margin = self._margin(container.value)
        inner = self._newline + margin + self._indent
        new = ",".join(inner + self._render(item, margin + self._indent, True) for item in items)
        self._edits.append((end, end, new + self._newline * mark + self._newline + margin))

    def _leftover(self, container: Node) -> str:
        before = self._before(container.items[0])
        spread, _, _ = before.rpartition(self._newline)
        after = self._source[container.items[-1].end : container.end - 1]
        return before if after == _KEPT else spread

    def _render(self, item: Item, margin: str, spread: bool) -> str:
        from json import dumps

        key, value = item
        lead = "" if key is None else dumps(key, ensure_ascii=False) + self._colon
        if not spread:
            comma = "," + " " * self._colon.endswith(" ")
            return lead + dumps(value, ensure_ascii=False, separators=(comma, self._colon))
        lines = dumps(value, ensure_ascii=False, indent=self._indent, separators=(",", self._colon))
        return lead + lines.replace("\n", self._newline + margin)

    def _before(self, node: Node) -> str:
        """The white space before a node."""
        head = self._source[: node.start]
        return head[len(head.rstrip(BLANK)) :]

    def _gap(self, container: Node) -> str:
        """The white space after a comma on one line."""
        if len(container.items) > 1:
            return self._before(container.items[-1])[:1]
        return " " * self._colon.endswith(" ")

    def _margin(self, at: int) -> str:
        """The white space at the start of the line on which a position is."""
        start = 1 + max(self._source.rfind("\n", 0, at), self._source.rfind("\r", 0, at))
        line = self._source[start:at].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(BLANK))][:_WIDEST]


def _broken(text: str) -> bool:
    return "\n" in text or "\r" in text


def _last_line(text: str) -> str:
    return text[1 + max(text.rfind("\n"), text.rfind("\r")) :][:_WIDEST]
