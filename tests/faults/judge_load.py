"""Judges a load: compares the logs of its processes with the messages that an independent reader finds.

An acknowledged message is there once and whole, at the id that was given; a message in doubt is there once or not
at all; no other message is there. A message acknowledged as archived is not in the inbox. No check showed an unknown
message or a wrong order, or left out a message that surely waited. After a power cut, only acknowledgements from
before it count.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.reader import Box, header_and_body, read_box

NEVER = 1 << 63
#: What a check may say about a message, by its sender.
FLAGS = {
    "alpha": {"", "already-archived"},
    "stranger": {"unregistered-sender", "already-archived"},
}


@dataclass
class Account:
    """What the processes of a load said, up to the moment of the cut."""

    attempted: set[tuple[int, int]] = field(default_factory=set)
    begun: int = 0
    sent: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    archiving: dict[str, int] = field(default_factory=dict)
    archived: set[str] = field(default_factory=set)
    looks: list[tuple[int, int, list[str]]] = field(default_factory=list)
    #: Rows of checks: id, sender, priority, the words of the subject, flags.
    rows: list[list[str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def account(logs: Path, until: int = 0) -> Account:
    """Read the logs; `until` is the moment of the cut, after which acknowledgements do not count."""
    told = Account()
    for log in sorted(logs.glob("*.log")):
        for line in log.read_text().splitlines():
            event, when, *words = line.split()
            moment = int(when)
            late = moment >= (until or NEVER)
            if event == "attempt":
                told.attempted.add((int(words[0]), int(words[1])))
                told.begun += not late
            elif event == "archive":
                for id in words:
                    told.archiving[id] = min(moment, told.archiving.get(id, moment))
            elif not late:
                _acknowledged(told, event, moment, words, f"{log.stem}: {line}")
    return told


def _acknowledged(told: Account, event: str, moment: int, words: list[str], line: str) -> None:
    """Take one line of an event that has ended."""
    if event == "sent":
        told.sent[int(words[0]), int(words[1])] = (words[2], moment)
    elif event == "archived":
        told.archived.update(words)
    elif event == "row":
        told.rows.append(words)
    elif event == "looked":
        told.looks.append((int(words[0]), moment, words[1:]))
    else:
        told.failures.append(line)


@dataclass
class Verdict:
    """What was counted, and what was wrong, by the word it goes under in the table."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def say(self, word: str, what: str) -> None:
        """One thing that is wrong."""
        self.wrong.setdefault(word, []).append(what)


def judge_load(mailbox: Path, told: Account, text: Text, sender: str = "alpha") -> Verdict:
    """Everything that was promised; `text` makes the body of a message again."""
    box = read_box(mailbox)
    verdict = Verdict()
    verdict.counts.update({"sends": len(told.sent), "archived": len(told.archived), "looks": len(told.looks)})
    verdict.counts["in doubt"] = told.begun - len(told.sent)
    for what in told.failures:
        verdict.say("failed", what)
    for what in box.broken:
        verdict.say("torn", what)
    found = _messages(box, told, text, sender, verdict)
    for key, (id, _) in told.sent.items():
        if found.get(key) != id:
            verdict.say("lost", f"message {key} was acknowledged as {id}, and is {found.get(key)}")
    for id in told.archived:
        if id in box.inbox or id not in box.archive:
            verdict.say("undone", f"{id} was archived, and is in the inbox: {id in box.inbox}")
    _looks(box, told, verdict)
    _rows(found, told, sender, verdict)
    return verdict


def judge_copies(bus: Path, told: Account, sender: str, kills: int) -> list[str]:
    """What is wrong with the sender's own copies, and with the number of staging files in both mailboxes.

    A power cut may take a copy, so this is for kills alone.
    """
    box, copies = read_box(bus / "beta"), read_box(bus / "alpha")
    wrong = [f"torn: {what}" for what in copies.broken]
    for id, _ in told.sent.values() if sender == "alpha" else ():
        if copies.sent.get(id) != box.received[id]:
            wrong.append(f"the sender's copy of {id} is missing or differs")
    wrong += [f"a copy of {id}, which was not delivered" for id in copies.sent.keys() - box.received.keys()]
    for one in (box, copies):
        if len(one.tmp) + len(one.hidden) > kills:
            wrong.append(f"more staging files than kills: {one.tmp} {one.hidden}")
    return wrong


def _rows(found: dict[tuple[int, int], str], told: Account, sender: str, verdict: Verdict) -> None:
    """Each row of a check shows the message as it is, with no flag but those that a load brings about."""
    subjects = {id: [f"w{writer}", f"n{number}"] for (writer, number), id in found.items()}
    for id, shown, priority, *rest in told.rows:
        flags = set(" ".join(rest[2:]).strip("[]").split(", "))
        if (shown, priority, rest[:2]) != (sender, "normal", subjects.get(id)) or not flags <= FLAGS[sender]:
            verdict.say("misshown", f"{id} {shown} {priority} {rest}")


def _messages(
    box: Box, told: Account, text: Text, sender: str, verdict: Verdict
) -> dict[tuple[int, int], str]:
    """The id of every whole message by its writer and number."""
    found: dict[tuple[int, int], str] = {}
    for id, data in box.received.items():
        if box.inbox.get(id, data) != data:
            verdict.say("replaced", f"{id} differs between inbox and archive")
        key = _key(id, data, text, sender)
        if key is None:
            verdict.say("torn", f"{id} is not whole: {data[:200]!r}")
        elif key in found:
            verdict.say("twice", f"{id} and {found[key]} are the same message")
        elif key not in told.attempted:
            verdict.say("strange", f"{id} was never sent")
        else:
            found[key] = id
    return found


def _key(id: str, data: bytes, text: Text, sender: str) -> tuple[int, int] | None:
    try:
        header, body = header_and_body(data)
        writer, number = (int(word[1:]) for word in header["subject"].split())
    except (ValueError, KeyError):
        return None
    whole = (header.get("id"), header.get("from"), header.get("to")) == (id, sender, "beta")
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
