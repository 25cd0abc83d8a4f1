"""The judge of a load: what the processes said they did, against what an independent reader finds.

What was acknowledged is there once and whole, at the id that was given; what is in doubt once or not at all;
nothing else is there. What was acknowledged as archived is not in the inbox. No look showed a stranger or a
wrong order, or left out what surely waited. After a power cut only acknowledgements from before it count.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.reader import Box, header_and_body, read_box

NEVER = 1 << 63


@dataclass
class Account:
    """What the processes of a load said, up to the moment of the cut."""

    attempted: set[tuple[int, int]] = field(default_factory=set)
    begun: int = 0
    sent: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    archiving: dict[str, int] = field(default_factory=dict)
    archived: set[str] = field(default_factory=set)
    looks: list[tuple[int, int, list[str]]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def account(logs: Path, until: int = 0) -> Account:
    """Read the logs; `until` is the moment of the cut, after which nothing that was said counts."""
    told = Account()
    for log in sorted(logs.glob("*.log")):
        for line in log.read_text().splitlines():
            what, when, *words = line.split()
            moment = int(when)
            late = moment >= (until or NEVER)
            if what == "attempt":
                told.attempted.add((int(words[0]), int(words[1])))
                told.begun += not late
            elif what == "archive":
                for id in words:
                    told.archiving[id] = min(moment, told.archiving.get(id, moment))
            elif late:
                continue
            elif what == "sent":
                told.sent[int(words[0]), int(words[1])] = (words[2], moment)
            elif what == "archived":
                told.archived.update(words)
            elif what == "looked":
                told.looks.append((int(words[0]), moment, words[1:]))
            else:
                told.failures.append(f"{log.stem}: {line}")
    return told


@dataclass
class Verdict:
    """What was counted, and what was wrong, by the word it goes under in the table."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def say(self, word: str, what: str) -> None:
        """One thing that is wrong."""
        self.wrong.setdefault(word, []).append(what)


def judge_load(mailbox: Path, told: Account, text: Text) -> Verdict:
    """Everything that was promised; `text` makes the body of a message again."""
    box = read_box(mailbox)
    verdict = Verdict()
    verdict.counts.update({"sends": len(told.sent), "archived": len(told.archived), "looks": len(told.looks)})
    verdict.counts["in doubt"] = told.begun - len(told.sent)
    for what in told.failures:
        verdict.say("failed", what)
    for what in box.broken:
        verdict.say("torn", what)
    found = _messages(box, told, text, verdict)
    for key, (id, _) in told.sent.items():
        if found.get(key) != id:
            verdict.say("lost", f"message {key} was acknowledged as {id}, and is {found.get(key)}")
    for id in told.archived:
        if id in box.inbox or id not in box.archive:
            verdict.say("undone", f"{id} was archived, and is in the inbox: {id in box.inbox}")
    _looks(box, told, verdict)
    return verdict


def _messages(box: Box, told: Account, text: Text, verdict: Verdict) -> dict[tuple[int, int], str]:
    """The id of every whole message by its writer and number."""
    found: dict[tuple[int, int], str] = {}
    for id, data in box.received.items():
        if box.inbox.get(id, data) != data:
            verdict.say("replaced", f"{id} differs between inbox and archive")
        key = _key(id, data, text)
        if key is None:
            verdict.say("torn", f"{id} is not whole: {data[:200]!r}")
        elif key in found:
            verdict.say("twice", f"{id} and {found[key]} are the same message")
        elif key not in told.attempted:
            verdict.say("strange", f"{id} was never sent")
        else:
            found[key] = id
    return found


def _key(id: str, data: bytes, text: Text) -> tuple[int, int] | None:
    try:
        header, body = header_and_body(data)
        writer, number = (int(word[1:]) for word in header["subject"].split())
    except (ValueError, KeyError):
        return None
    whole = (header.get("id"), header.get("from"), header.get("to")) == (id, "alpha", "beta")
    return (writer, number) if whole and body == text(writer, number) else None


def _looks(box: Box, told: Account, verdict: Verdict) -> None:
    """No look left out what surely waited, showed what never was, or came out of order."""
    dates = {id: _date(data) for id, data in box.received.items()}
    for started, ended, shown in told.looks:
        surely = {
            id
            for id, moment in told.sent.values()
            if moment < started and told.archiving.get(id, NEVER) > ended
        }
        if surely - set(shown):
            verdict.say("hidden", f"a look did not show {sorted(surely - set(shown))}")
        if set(shown) - set(dates):
            verdict.say("strange", f"a look showed {sorted(set(shown) - set(dates))}")
        elif shown != sorted(shown, key=lambda id: (id[:13], dates[id], _suffix(id))):
            verdict.say("disorder", f"a look showed {shown}")


def _date(data: bytes) -> str:
    try:
        return header_and_body(data)[0].get("date", "")
    except ValueError:
        return ""  # told as torn already


def _suffix(id: str) -> int:
    found = re.search(r"-load-([0-9]+)$", id)
    return int(found.group(1)) if found else 1


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Text = Callable[[int, int], bytes]
