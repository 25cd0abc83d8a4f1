"""Whatever call of any command goes wrong, and however, in this process and on odd disks: the promises hold.

The commands run as the command line runs them, to their exit codes, on a disk that counts its calls.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.cli.grammar import USAGE
from agentmail.hosts.base import DryRun
from tests.faults.judge import Ended, Seen, Story, judge
from tests.faults.stories import ALL, arrange, next_try, run, seen
from tests.support.faults import FAULTS, Crashed, Fault, FaultyDisk, NotApplicable

#: How many calls each command makes at least. A number that sinks means that calls no longer pass the gate.
FLOOR = {
    "send": 57,
    "send-first-ever": 67,
    "reply": 70,
    "delegate": 60,
    "check": 29,
    "read": 13,
    "roster": 14,
    "archive": 31,
    "archive-and-upkeep": 65,
    "unarchive": 29,
    "prune": 23,
    "register": 62,
    "register-first": 47,
    "register-change": 58,
    "ack": 35,
    "wire": 68,
    "unwire": 76,
    "wait": 87,
    "check-with-session": 57,
    "threads": 40,
    "thread": 51,
    "receipts": 27,
    "sessions": 7,
    "search": 40,
    "snapshot": 62,
    "doctor": 180,
}
Calls = Callable[[str, dict[str, Any]], int]


def has_all(_op: str, _given: dict[str, Any]) -> int:
    """An ordinary disk."""
    return 0


def has_no_links(op: str, _given: dict[str, Any]) -> int:
    """exFAT, but for the rename that refuses to replace."""
    return errno.EPERM if op == "link" else 0


def has_neither(op: str, _given: dict[str, Any]) -> int:
    """exFAT behind FUSE: no links, and no rename that refuses to replace."""
    return {"link": errno.EPERM, "rename_new": errno.EINVAL}.get(op, 0)


def has_mounts_inside(op: str, given: dict[str, Any]) -> int:
    """Every folder is a mount of its own."""
    return errno.EXDEV if op == "link" and given["src_dir_fd"] != given["dst_dir_fd"] else 0


def syncs_no_directories(op: str, _given: dict[str, Any]) -> int:
    """A disk that does not know what syncing a directory is."""
    return errno.EINVAL if op == "fsyncdir" else 0


class OddDisk(FaultyDisk):
    """A faulty disk that lacks something to begin with."""

    def __init__(self, lacks: Calls, fault: Fault | None = None, at: int = -1) -> None:
        super().__init__(fault, at)
        self.lacks = lacks

    def real(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        code = self.lacks(op, kwargs)
        if code:
            raise OSError(code, os.strerror(code))
        return super().real(op, function, *args, **kwargs)


ODD: list[Calls] = [has_no_links, has_neither, has_mounts_inside, syncs_no_directories]
PAIRS = [pytest.param(name, has_all, id=name) for name in ALL]
PAIRS += [
    pytest.param(name, lacks, id=f"{name}-{lacks.__name__}")
    for lacks in ODD
    for name in ("send", "archive", "unarchive")
]


def attempt(story: Story, bus: Path, disk: FaultyDisk) -> Ended:
    """Run; a crash has no exit code."""
    try:
        return run(story, bus, disk=disk)
    except Crashed:
        return Ended(None)
    finally:
        disk.bury()


def wrongs(story: Story, before: Seen, done: Seen, bus: Path, fault: str, op: str, ended: Ended) -> list[str]:
    """What is wrong after a fault, and after trying again on a disk without any."""
    after = seen(story, bus)
    wrong = judge(story, before, after, ended, done)
    if fault in ("fails with EINTR", "is short") and ended.code != 0:
        wrong.append(f"a signal, or a short read or write, is no failure: {ended}")
    if fault.startswith("fails") and op != "unlink" and after.staging:
        wrong.append(f"left behind: {after.staging}")
    again = run(story, bus, next_try(story))
    if again.code != 0:
        wrong.append(f"trying again ended with {again.code}: {again.err}")
    return wrong + [f"then: {line}" for line in judge(story, before, seen(story, bus), again, done)]


@pytest.fixture(autouse=True)
def hooks_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    # Wiring runs each hook once when all is done: processes of their own, which no fault of this disk meets.
    monkeypatch.setattr(
        "agentmail.hosts.claude_code.install.run_hook",
        lambda one, *_: DryRun(one.event, "mail-check", True, ""),
    )


@pytest.mark.parametrize(("name", "lacks"), PAIRS)
@pytest.mark.timeout(900)
def test_every_fault_at_every_call_of_a_command(
    name: str, lacks: Calls, quick_path: Path, tally: Counter[str]
) -> None:
    story, place = ALL[name], quick_path / "place"
    bus = arrange(story, place)
    before, healthy = seen(story, bus), OddDisk(lacks)
    ended = attempt(story, bus, healthy)
    done = seen(story, bus)
    assert (ended.code, judge(story, before, done, ended)) == (0, [])
    wrong = []
    for fault, effect in FAULTS.items():
        for at, op in enumerate(healthy.calls):
            arrange(story, place)
            try:
                ended = attempt(story, bus, OddDisk(lacks, effect, at))
            except NotApplicable:
                continue
            tally["points"] += 1
            found = wrongs(story, before, done, bus, fault, op, ended)
            wrong += [f"call {at} ({op}) {fault}: {line}" for line in found]
    tally["violations"] += len(wrong)
    assert wrong == []
    assert len(healthy.calls) >= FLOOR[name], healthy.calls
    assert tally["points"] >= 7 * FLOOR[name]


def test_every_command_has_its_story() -> None:
    # `git` prints a constant, and `demo` runs the others on a bus that it throws away.
    assert {story.words[0] for story in ALL.values()} == USAGE.keys() - {"git", "demo"}
