"""Whom a message did not reach: facts in `sent/<id>.jsonl`, beside the sender's copy that names all its recipients.

A line is a JSON object: `undelivered` (recipient, outcome, error, time), or `reached` once a later try did, which
is final. The file exists only where a delivery to several failed for some, and is only appended to.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.fs import Handle, is_file
from agentmail.core.layout import SENT
from agentmail.core.lean_json import flat, loads
from agentmail.ledger.sessions import APPEND

UNDELIVERED, REACHED = "undelivered", "reached"
SUFFIX = ".jsonl"
LIMIT = 1 << 20


class Undelivered:
    """One recipient that a message did not reach, or not surely: why, and since when."""

    __slots__ = ("error", "identity", "outcome", "time")

    def __init__(self, identity: str, outcome: str, error: str, time: str) -> None:
        self.identity = identity
        self.outcome = outcome
        self.error = error
        self.time = time


def append(box: Mailbox, id: str, found: list[Undelivered], reached: Sequence[str], now: str) -> None:
    """Append what a try came to, durably; OSError where that is not possible."""
    lines = [
        flat(
            {
                "fact": UNDELIVERED,
                "to": one.identity,
                "outcome": one.outcome,
                "error": one.error,
                "time": one.time,
            }
        )
        for one in found
    ]
    lines += [flat({"fact": REACHED, "to": identity, "time": now}) for identity in reached]
    if not lines:
        return
    disk, sent = box.disk, box.folder(SENT)
    opened = disk.call("create", system.open, f"{id}{SUFFIX}", APPEND, 0o600, dir_fd=sent)
    with Handle(disk, opened) as fd:
        view = memoryview("".join(f"\n{line}" for line in lines).encode())
        while view:
            view = view[disk.call("write", system.write, fd, view) :]
        disk.sync_file(fd)
    disk.sync_directory(sent)


def recorded(box: Mailbox) -> frozenset[str]:
    """The ids of the messages about which there are such facts."""
    sent = box.existing(SENT)
    found = box.disk.names(sent) if sent is not None else []
    return frozenset(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX))


def outstanding(box: Mailbox, id: str) -> list[Undelivered]:
    """The recipients that a message has not reached by these facts; OSError where they cannot be read."""
    sent = box.existing(SENT)
    if sent is None:
        return []
    try:
        with box.disk.file(f"{id}{SUFFIX}", sent) as fd:
            if not is_file(box.disk.fstat(fd)):
                raise OSError("not a regular file")
            data = box.disk.read(fd, LIMIT)
    except FileNotFoundError:
        return []
    return _fold(data.decode("utf-8", "replace"))


def _fold(text: str) -> list[Undelivered]:
    """Who is still without the message: the lines may come in any order, repeated, torn, or of unknown facts."""
    failed: dict[str, Undelivered] = {}
    reached = set()
    for line in text.split("\n"):
        fact = loads(line) if line else None
        values = fact if isinstance(fact, dict) else {}
        to, time = str(values.get("to", "")), str(values.get("time", ""))
        if not names.is_identity(to):
            continue
        if values.get("fact") == REACHED:
            reached.add(to)
        elif values.get("fact") == UNDELIVERED and (to not in failed or time >= failed[to].time):
            failed[to] = Undelivered(to, str(values.get("outcome", "")), str(values.get("error", "")), time)
    return [one for to, one in sorted(failed.items()) if to not in reached]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmail.core.layout import Mailbox
