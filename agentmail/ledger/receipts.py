"""Receipts as lines of a session file, and their sum.

A line is a JSON object with a `fact`: `session` (identity, place, time), `presented` (the session was shown that
the message exists, or read it) or `acknowledged` (the session said so; with `shown: false` before any record said
that it was shown the message). The sum does not depend on the order of the lines. Duplicate lines, torn lines and facts
of later versions change nothing and are kept.

No fact means read, agreed or done.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.lean_json import flat, loads

SESSION, PRESENTED, ACKNOWLEDGED = "session", "presented", "acknowledged"
#: The words of older programs for presented.
LEGACY = ("injected", "delivered")
#: The most frequent line: the text before, between and after its two values.
LEAD, MIDDLE, TAIL = '{"fact": "presented", "id": "', '", "time": "', '"}'
#: How every line of ours begins.
TORN = "{"
QUOTES = (LEAD + MIDDLE + TAIL).count('"')


class Receipts:
    """The sum of one session's lines: first times by message key, and the session facts by time.

    A message's key is its id, or `#` and a hash for a name that must not be recorded. `unknown` counts the lines that
    are no fact of this version; of them `garbage` neither begins like a fact nor is a JSON object.
    """

    __slots__ = ("acknowledged", "garbage", "presented", "sessions", "unknown", "unshown")

    def __init__(self) -> None:
        self.presented: dict[str, str] = {}
        self.acknowledged: dict[str, str] = {}
        #: Acknowledged by a session that was not shown the message: it says nothing of the mail between the two.
        self.unshown: dict[str, str] = {}
        self.sessions: list[dict[str, object]] = []
        self.unknown = 0
        self.garbage = 0

    def add(self, line: str) -> None:
        """Add one line; a blank line is ignored."""
        if line.startswith(LEAD) and line.endswith(TAIL) and line.count('"') == QUOTES:
            id, between, time = line[len(LEAD) : -len(TAIL)].partition(MIDDLE)
            # The form that we write needs no parser.
            if between and line.isascii() and line.isprintable() and "\\" not in line:
                _first(self.presented, id, time)
                return
        if line.strip():
            found = loads(line)
            # A line that a crash cut off still begins like a fact.
            self.garbage += not isinstance(found, dict) and not TORN.startswith(line[:1])
            self._add_parsed(found)

    def _add_parsed(self, found: object) -> None:
        fact = found.get("fact") if isinstance(found, dict) else None
        if not isinstance(found, dict) or not isinstance(fact, str):
            self.unknown += 1
            return
        id, time = found.get("id"), found.get("time")
        if fact == SESSION:
            if found not in self.sessions:
                self.sessions.append(found)
        elif not isinstance(id, str) or not isinstance(time, str):
            self.unknown += 1
        elif fact == ACKNOWLEDGED and found.get("shown") is False:
            _first(self.unshown, id, time)
        elif fact == ACKNOWLEDGED:
            _first(self.acknowledged, id, time)
            _first(self.presented, id, time)
        elif fact == PRESENTED or fact in LEGACY:
            _first(self.presented, id, time)
        else:
            self.unknown += 1


def _first(times: dict[str, str], id: str, time: str) -> None:
    known = times.get(id)
    if known is None or time < known:
        times[id] = time


def fold(data: bytes, *, sessions_only: bool = False) -> Receipts:
    """The sum of a session file's bytes; with `sessions_only` of its session facts alone."""
    receipts = Receipts()
    for line in data.decode("utf-8", "replace").split("\n"):
        if not (sessions_only and line.startswith(LEAD)):
            receipts.add(line)
    receipts.sessions.sort(key=lambda fact: (str(fact.get("time", "")), repr(sorted(fact.items()))))
    return receipts


def key_of(name: str) -> str:
    """The key of a message in a session file: its id, or a hash of a name that must not be recorded."""
    id = names.without_suffix(name)
    if name.endswith(".md") and names.is_strict_id(id):
        return id
    from hashlib import sha256

    return "#" + sha256(system.fsencode(name)).hexdigest()[:32]


def message_line(fact: str, id: str, time: str) -> str:
    """The line of a fact about a message."""
    return flat({"fact": fact, "id": id, "time": time})


def unshown_line(id: str, time: str) -> str:
    """The line of a session that acknowledges a message which no record says it was shown."""
    return flat({"fact": ACKNOWLEDGED, "id": id, "time": time, "shown": False})


def session_line(**values: str | bool) -> str:
    """The line of a session fact."""
    return flat({"fact": SESSION, **values})
