"""Whatever call of a command goes wrong on a disk that lacks something: the promises hold there too.

The same loop as in tests/laws/test_every_fault_at_every_call.py, which has the ordinary disk and every command.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.stories import STORIES
from tests.faults.striking import strike_command
from tests.support.fault_loop import SAMPLED_AND_ALL
from tests.support.faults import Fault, FaultyDisk

#: How many calls each command makes at least. A number that sinks means that calls no longer pass the gate.
FLOOR = {"send": 57, "archive": 31, "unarchive": 29}
Calls = Callable[[str, dict[str, Any]], int]


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


@pytest.mark.slow
@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
@pytest.mark.parametrize("lacks", ODD, ids=lambda lacks: lacks.__name__)
@pytest.mark.parametrize("name", FLOOR)
@pytest.mark.timeout(900)
def test_every_fault_at_every_call_of_a_command(
    name: str, lacks: Calls, every: int, quick_path: Path, tally: Counter[str]
) -> None:
    def new_disk(fault: Fault | None, at: int) -> FaultyDisk:
        return OddDisk(lacks, fault, at)

    calls, found = strike_command(STORIES[name], quick_path / "place", new_disk, every)
    tally["points"] += found.points
    tally["violations"] += len(found.wrong)
    assert found.wrong == []
    assert len(calls) >= FLOOR[name], calls
    assert found.struck == set(range(len(calls)))
    assert found.points >= 7 * FLOOR[name] // every - len(calls) * (every > 1)
