"""Which rows may match what a view looks for."""

from __future__ import annotations

from agentmail.views.index.stored import stored

GRAM = 3


def matching_rows(index: Connection, counts: str, wanted: Wanted) -> tuple[str, list[Value]]:
    """The query for place and name of these rows, with its values."""
    terms = [counts]
    values: list[Value] = []
    for column, text in (("thread", wanted.thread), ("sender", wanted.sender)):
        if text:
            terms.append(f"{column} = ?")
            values.append(stored(text))
    if wanted.kind:
        terms.append("kind = ?")
        values.append(wanted.kind)
    for comparison, minute in ((">=", wanted.since), ("<", wanted.until)):
        if minute:
            terms.append(f"key {comparison} ?")
            values.append(stored(minute))
    for term, value in _of_words(index, wanted.words):
        terms.append(term)
        values.append(value)
    return f"select place, name from message where {' and '.join(terms)}", values


def _of_words(index: Connection, words: Sequence[str]) -> Iterator[tuple[str, Value]]:
    """Terms for the words: by trigrams, and by looking through the text for what is shorter."""
    usable = [word for word in words if "\0" not in word and word.encode("utf-8", "ignore").decode() == word]
    whole = "n in (select n from message where long)"
    grams = [gram for word in usable for gram in grams_of(word)] if has_words(index) else []
    if grams:
        quoted = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in dict.fromkeys(grams))
        yield f"({whole} or n in (select rowid from words where words match ?))", quoted
    for word in usable:
        if not grams or len(word) < GRAM:
            yield f"({whole} or n in (select n from body where instr(text, ?)))", word.encode()


def grams_of(word: str) -> list[str]:
    """Trigrams that cover a word; that all of them are in a text does not say that the word is."""
    starts = [*range(0, len(word) - GRAM, GRAM), len(word) - GRAM] if len(word) >= GRAM else []
    return [word[start : start + GRAM] for start in starts]


def has_words(index: Connection) -> bool:
    """True where the index has trigrams."""
    return index.execute("select 1 from sqlite_master where name = 'words'").fetchone() is not None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from sqlite3 import Connection

    from agentmail.views.base import Wanted

    Value = str | bytes
