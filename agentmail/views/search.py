"""A search: words and conditions as a person or an agent writes them, and what in a message answers them.

    parser "empty subject" from:alpha to:beta thread:plan in:archive kind:handoff after:2026-07-01 before:2026-07-04

A word is found anywhere, whatever the case of its letters; text in double quotes is one word, and never a condition. All
of it has to hold. Times are UTC; `after` counts from the beginning of a day or minute on, `before` up to it.
"""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import Refused
from agentmail.message import KINDS
from agentmail.views.base import EVERYWHERE, Wanted
from agentmail.views.receipts import recipients_of
from agentmail.views.words import searched

CONDITIONS = ("from", "to", "thread", "in", "kind", "after", "before")
#: How many characters of a line are shown, and how many of them before the first word.
EXCERPT, BEFORE = 160, 40
CUT = "…"


class Query:
    """What is searched for: `words` casefolded, `conditions` as they were given."""

    __slots__ = ("conditions", "wanted", "words")

    def __init__(self, words: list[str], conditions: list[tuple[str, str]]) -> None:
        self.words = words
        self.conditions = conditions
        first = dict(reversed(conditions))
        stamps = {
            name: [stamp_of(name, text) for key, text in conditions if key == name]
            for name in CONDITIONS[-2:]
        }
        self.wanted = Wanted(
            words,
            thread=first.get("thread", ""),
            sender=first.get("from", ""),
            kind=first.get("kind", ""),
            since=max(stamps["after"], default=""),
            until=min(stamps["before"], default=""),
        )

    def matches(self, entry: Entry) -> bool:
        """True where the message holds all words and meets all conditions."""
        if not all(self._meets(entry, key, value) for key, value in self.conditions):
            return False
        if not self.words:
            return True
        text = searched(entry)
        return all(word in text for word in self.words)

    def _meets(self, entry: Entry, key: str, value: str) -> bool:
        message, wanted = entry.message, self.wanted
        if key == "from":
            return message.get("from") == value
        if key == "to":
            return value in recipients_of(message)
        if key == "thread":
            return entry.thread == value
        if key == "in":
            return entry.place == value
        if key == "kind":
            return not entry.damaged and message.kind == value
        minute = names.minute_of(entry.name)
        return minute != "" and wanted.since <= minute and (not wanted.until or minute < wanted.until)


def query_of(text: str) -> Query:
    """The search that a text asks for; Refused where a condition has no meaning, or there is nothing to search for."""
    words: list[str] = []
    conditions: list[tuple[str, str]] = []
    for part, is_quoted in _parts(text):
        key, colon, value = part.partition(":")
        if is_quoted or not (colon and value and key in CONDITIONS):
            words.append(part.casefold())
        else:
            conditions.append((key, _checked(key, value)))
    if not words and not conditions:
        raise Refused("there is no word to search for", names.NOTHING_CHANGED, "give one or more words")
    return Query(words, conditions)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Each word, and whether it was in quotes; a quote that is not closed before a space is part of its word."""
    left = text.strip()
    while left:
        end = left.find('"', 1) if left[0] == '"' else -1
        if end > 1 and left[end + 1 : end + 2].strip() == "":
            yield left[1:end], True
            left = left[end + 1 :].lstrip()
        else:
            word, *rest = left.split(maxsplit=1)
            yield word, False
            left = rest[0] if rest else ""


def _checked(key: str, value: str) -> str:
    """A condition's value; Refused where no message can have it."""
    known = {"in": EVERYWHERE, "kind": KINDS}.get(key)
    if known and value not in known:
        raise Refused(
            f"{names.quoted(f'{key}:{value}')} is unknown",
            names.NOTHING_CHANGED,
            f"use {_listed(key, known)}",
        )
    if key in ("after", "before"):
        stamp_of(key, value)
    return value.removeprefix("@") if key in ("from", "to") else value


def _listed(key: str, known: Sequence[str]) -> str:
    return " or ".join((", ".join(f"{key}:{one}" for one in known[:-1]), f"{key}:{known[-1]}"))


def stamp_of(key: str, text: str) -> str:
    """The stamp of the minute that a condition names: a day, or a minute as an id or a header has it."""
    digits = "".join(c for c in text if c not in "-:TZ")
    stamp = f"{digits[:8]}-{digits[8:12] or '0000'}"
    if (
        len(digits) not in (8, 12, 14)
        or not names.DIGITS_ONLY.issuperset(digits)
        or times.seconds_of(stamp) is None
    ):
        raise Refused(
            f"{names.quoted(f'{key}:{text}')} is no day and no minute",
            names.NOTHING_CHANGED,
            f"write {key}:2026-07-04, or with a time in UTC {key}:2026-07-04T09:30",
        )
    return stamp


def excerpt_of(body: str, words: Sequence[str]) -> tuple[str, list[list[int]]]:
    """The first line of a body with one of these words, bounded, and where the words are in it: pairs of start and end.

    Empty where only the header has them.
    """
    for line in body.splitlines():
        if any(word in line.casefold() for word in words):
            return _shown(line.strip(), words)
    return "", []


def _shown(line: str, words: Sequence[str]) -> tuple[str, list[list[int]]]:
    found = _found(line, words)
    start = max(0, min(found[0][0] - BEFORE, len(line) - EXCERPT)) if found and len(line) > EXCERPT else 0
    head = CUT if start else ""
    end = start + EXCERPT - len(head)
    tail = CUT if end < len(line) else ""
    end -= len(tail)
    shift = len(head) - start
    marks = [[max(a, start) + shift, min(b, end) + shift] for a, b in found if a < end and b > start]
    return head + line[start:end] + tail, marks


def _found(line: str, words: Sequence[str]) -> list[list[int]]:
    """Where the words are in a line, in order and without overlap. One letter may casefold to several."""
    folded, letters = "", list[int]()
    for at, letter in enumerate(line):
        folded += letter.casefold()
        letters += [at] * (len(folded) - len(letters))
    marks: list[list[int]] = []
    for word in words:
        at = folded.find(word)
        while at >= 0:
            marks.append([letters[at], letters[at + len(word) - 1] + 1])
            at = folded.find(word, at + len(word))
    merged: list[list[int]] = []
    for mark in sorted(marks):
        if merged and mark[0] < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], mark[1])
        else:
            merged.append(mark)
    return merged


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmail.views.base import Entry
