"""The screen of a terminal: enough of one to read what an interactive client shows."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable

OSC = r"\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
STRING = r"\x1b[P^_][^\x1b]*\x1b\\"
CSI = r"\x1b\[(?P<args>[0-9:;<=>?]*)[ -/]*(?P<final>[@-~])"
ESCAPE = r"\x1b[ -/]+[0-~]|\x1b[0-OQ-Z\\`-~]"
TOKEN = re.compile(f"{OSC}|{STRING}|{CSI}|{ESCAPE}|(?P<char>[^\x1b])", re.DOTALL)
#: What a terminal must answer, or the client waits for it: "what are you?", "where is the cursor?"
REPLIES = {"c": b"\x1b[?62;c", "6n": b"\x1b[1;1R"}


class Terminal:
    """A grid of characters with a cursor; colours and modes are ignored."""

    def __init__(self, rows: int, columns: int, reply: Callable[[bytes], object]) -> None:
        self.rows, self.columns = rows, columns
        self.titles: list[str] = []
        self._reply = reply
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._grid = [self._blank() for _ in range(rows)]
        self._row = self._column = 0
        self._saved = (0, 0)

    def text(self) -> str:
        """What the screen shows now, without trailing blanks."""
        return "\n".join("".join(row).rstrip() for row in list(self._grid)).strip("\n")

    def feed(self, data: bytes) -> None:
        """Take output of the client."""
        text, position = self._pending + self._decoder.decode(data), 0
        while found := TOKEN.match(text, position):
            position = found.end()
            if found["char"]:
                self._put(found["char"])
            elif found["final"]:
                self._control(found["args"], found["final"])
            elif found["osc"]:
                self._system_command(found["osc"])
            elif found[0] in ("\x1b7", "\x1b8"):
                self._save_or_restore(found[0] == "\x1b7")
        self._pending = text[position:]

    def _blank(self) -> list[str]:
        return [" "] * self.columns

    def _put(self, char: str) -> None:
        if char == "\r":
            self._column = 0
        elif char == "\n":
            self._line_feed()
        elif char == "\b":
            self._column = max(0, self._column - 1)
        elif char >= " " and char != "\x7f":
            self._print(char)

    def _print(self, char: str) -> None:
        if unicodedata.combining(char) or char in "\u200d\ufe0e\ufe0f":
            return
        width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if self._column + width > self.columns:
            self._column = 0
            self._line_feed()
        self._grid[self._row][self._column] = char
        if width == 2:
            self._grid[self._row][self._column + 1] = ""
        self._column += width

    def _line_feed(self) -> None:
        if self._row == self.rows - 1:
            self._grid = [*self._grid[1:], self._blank()]
        else:
            self._row += 1

    def _system_command(self, command: str) -> None:
        kind, _, words = command.partition(";")
        if kind in ("0", "2"):
            self.titles.append(words)

    def _save_or_restore(self, save: bool) -> None:
        if save:
            self._saved = (self._row, self._column)
        else:
            self._row, self._column = self._saved

    def _control(self, arguments: str, final: str) -> None:
        if final in "cn":
            self._reply(REPLIES.get(arguments + final, b""))
            return
        if not re.fullmatch(r"[0-9;]*", arguments):
            return  # private modes
        numbers = [int(number or 0) for number in arguments.split(";")]
        count = max(1, numbers[0])
        if final in "Hf":
            self._move(count - 1, max(1, numbers[1] if len(numbers) > 1 else 1) - 1)
        elif final in "ABCDEFGd":
            self._move(*self._target(final, count))
        elif final in "JK":
            self._erase(final, numbers[0])
        elif final == "X":
            self._fill(self._row, self._column, self._column + count)

    def _target(self, final: str, count: int) -> tuple[int, int]:
        row, column = self._row, self._column
        return {
            "A": (row - count, column),
            "B": (row + count, column),
            "C": (row, column + count),
            "D": (row, column - count),
            "E": (row + count, 0),
            "F": (row - count, 0),
            "G": (row, count - 1),
            "d": (count - 1, column),
        }[final]

    def _move(self, row: int, column: int) -> None:
        self._row = min(max(row, 0), self.rows - 1)
        self._column = min(max(column, 0), self.columns - 1)

    def _erase(self, final: str, part: int) -> None:
        """Part 0: from the cursor on, 1: up to it, 2: all; of the screen (J) or the line (K)."""
        if part != 1:
            self._fill(self._row, self._column if part == 0 else 0, self.columns)
        else:
            self._fill(self._row, 0, self._column + 1)
        if final == "J":
            for row in range(self.rows):
                if (part != 1 and row > self._row) or (part != 0 and row < self._row):
                    self._fill(row, 0, self.columns)

    def _fill(self, row: int, start: int, end: int) -> None:
        end = min(end, self.columns)
        self._grid[row][start:end] = " " * (end - start)
