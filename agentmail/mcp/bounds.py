"""What of an outcome a model is shown: printable, and no more than it can read.

A host puts a result before its model as it is. Other agents, or anything that can write a file, made the texts in it.
"""

from __future__ import annotations

from typing import Any

from agentmail.core.names import printable

#: How many characters of message texts one result has, and of any other text. The first is a multiple of 4, so that
#: what is left of base64 can be decoded.
TEXTS, OTHER = 40_000, 2_000
#: How many entries of a list.
ENTRIES = 200
#: The flag of a message whose text is not whole.
CUT = "cut"
BODY, FLAGS = "body", "flags"


class Bounded:
    """An outcome within bounds: `value`, and `notes` that say what is left out."""

    def __init__(self, outcome: dict[str, Any]) -> None:
        self._left = TEXTS
        self._cut = 0
        self._entries = 0
        self.value: dict[str, Any] = self._object(outcome)
        self.notes: list[str] = []
        if self._cut:
            texts = "one text is" if self._cut == 1 else f"{self._cut} texts are"
            self.notes.append(f"{texts} not whole, see the flag `{CUT}`; the file at `path` has all of it")
        if self._entries:
            self.notes.append(f"{self._entries} more entries are not listed")

    def _object(self, given: dict[str, Any]) -> dict[str, Any]:
        found = {_line(key): self._value(value) for key, value in given.items() if key != BODY}
        if BODY in given:
            whole = len(given[BODY]) <= self._left
            found[BODY] = self._body(given[BODY])
            if not whole:
                self._cut += 1
                found[FLAGS] = [*found.get(FLAGS, []), CUT]
        return found

    def _body(self, text: str) -> str:
        """As much of the text of a message as is left, with its lines."""
        found = text[: self._left]
        self._left -= -(-len(found) // 4) * 4
        return printable(found, keep="\n\t\r")

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return _line(value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            self._entries += len(value[ENTRIES:])
            return [self._value(one) for one in value[:ENTRIES]]
        return value


def within_bounds(outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome as it is, with the entries that are within bounds."""
    return {key: value[:ENTRIES] if isinstance(value, list) else value for key, value in outcome.items()}


def _line(text: str) -> str:
    shown = printable(text[:OTHER])
    return f"{shown}…" if len(text) > OTHER else shown
