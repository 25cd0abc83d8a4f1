"""Reads strict JSON with the position of each value, so that an edit can leave every other byte alone.

Why: a program that loads a settings file and dumps it again destroys the layout that its owner chose. Here the
C decoder first checks that the text is valid; the nodes are positions in that text. Only the levels that a caller
asks for are walked; the rest is skipped at the decoder's speed.
"""

from __future__ import annotations

from agentmail.core.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

DEPTH = 100  # no settings file comes near; the decoder recurses, and must not reach its own limit
BLANK = " \t\n\r"
BOM = "\ufeff"


class Node:
    """One value: `text[start:end]`, with its key where it has one; the value itself begins at `value`."""

    __slots__ = ("end", "items", "key", "start", "value")

    def __init__(self, key: str | None, start: int, value: int, end: int, items: list[Node]) -> None:
        self.key = key
        self.start = start
        self.value = value
        self.end = end
        self.items = items  # the members or elements, where they were walked

    def get(self, key: str) -> Node | None:
        """The member of that key, or None."""
        return next((item for item in self.items if item.key == key), None)


class Document:
    """A valid JSON text, and its outermost object with its members."""

    __slots__ = ("_decode", "_skip", "root", "text")

    def __init__(self, data: bytes) -> None:
        """Take the bytes of a file; one with nothing but space counts as an empty object. Raises Refused."""
        try:
            self.text = data.decode("utf-8") if data.strip(b" \t\r\n") else "{}\n"
        except UnicodeDecodeError as error:
            refuse(f"it is not UTF-8 (byte {error.start})")
        self._decode = _decoder(str)
        self._skip = _skipper(self.text)
        begin = self._skip(len(BOM) if self.text.startswith(BOM) else 0)
        self._check(begin)
        self.root = self.walk(None, begin, begin, 1)

    def load(self, node: Node) -> object:
        """The value of a node as Python data. A number is `("number", its text)`: no size limit, no rounding."""
        return _decoder(lambda digits: ("number", digits))(self.text, node.value)[0]

    def kind(self, node: Node) -> str:
        """`{`, `[`, `"`, or the first character of a number or word."""
        return self.text[node.value]

    def walk(self, key: str | None, start: int, value: int, levels: int) -> Node:
        """The node at a position, with `levels` levels of containers below it walked."""
        opening = self.text[value]
        if not levels or opening not in "{[":
            return Node(key, start, value, self._decode(self.text, value)[1], [])
        items: list[Node] = []
        at = self._skip(value + 1)
        while self.text[at] not in "}]":
            if self.text[at] == ",":
                at = self._skip(at + 1)
            begin, name = at, None
            if opening == "{":
                name, at = self._decode(self.text, at)
                at = self._skip(self._skip(at) + 1)
            items.append(self.walk(name, begin, at, levels - 1))
            at = self._skip(items[-1].end)
        return Node(key, start, value, at + 1, items)

    def _check(self, begin: int) -> None:
        from json import JSONDecodeError

        if _too_deep(self.text):
            refuse(f"it is nested more than {DEPTH} deep")
        try:
            end = self._skip(self._decode(self.text, begin)[1])
            if end < len(self.text):
                raise JSONDecodeError("Extra data", self.text, end)
        except JSONDecodeError as error:
            reason = _reason(self.text, error.pos) or error.msg
            refuse(f"it is not valid JSON (line {error.lineno}, column {error.colno}: {reason})")
        if self.text[begin] != "{":
            refuse("it does not hold a JSON object")


def refuse(what: str) -> NoReturn:
    """Refuse a settings file; `what` says what is wrong with it."""
    raise Refused(
        f"settings not understood: {what}", "nothing was changed", "fix it, or add the entries by hand"
    )


def without_empty(value: object) -> object:
    """A value without the empty objects and lists in it; None where nothing is left."""
    if isinstance(value, dict):
        return {key: kept for key, one in value.items() if (kept := without_empty(one)) is not None} or None
    if isinstance(value, list):
        return [kept for one in value if (kept := without_empty(one)) is not None] or None
    return value


def _decoder(number: Callable[[str], object]) -> Callable[[str, int], tuple[Any, int]]:
    from json import JSONDecoder, dumps

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = sorted(key for key, _ in pairs)
            twice = next(name for at, name in enumerate(names) if name in names[at + 1 : at + 2])
            refuse(f"the key {dumps(twice[:40])} occurs twice in one object")
        return found

    def constant(word: str) -> NoReturn:
        refuse(f"{word} is not JSON")

    return JSONDecoder(
        object_pairs_hook=members, parse_int=number, parse_float=number, parse_constant=constant
    ).raw_decode


def _skipper(text: str) -> Callable[[int], int]:
    import re

    blank = re.compile(f"[{BLANK}]*").match

    def skip(at: int) -> int:
        """The first position from `at` on that is not white space, or the length."""
        match = blank(text, at)
        return match.end() if match else at

    return skip


def _too_deep(text: str) -> bool:
    import re

    depth = 0
    # A string is one token, an unterminated one reaches to the end; possessive, so that nothing is tried twice.
    for token in re.finditer(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', text, re.DOTALL):
        mark = token[0]
        depth += 1 if mark in "[{" else -1 if mark in "]}" else 0
        if depth > DEPTH:
            return True
    return False


def _reason(text: str, at: int) -> str:
    """A common mistake at a position that is not JSON (a comment, a trailing comma), or ""."""
    after = text[at:].lstrip(BLANK)
    before = text[:at].rstrip(BLANK)[-1:]
    if after.startswith(("//", "/*", "#")):
        return "a comment"
    following = after[1:].lstrip(BLANK) if after[:1] == "," else after if before == "," else ""
    return "a trailing comma" if following[:1] in ("}", "]") else ""
