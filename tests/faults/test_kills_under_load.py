"""Many processes on one mailbox, killed at random in the middle of their work: nothing lost, torn or replaced."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.judge_load import account, judge_load
from tests.faults.load import Crew, Plan
from tests.faults.planting import plant_empty
from tests.faults.volumes import somewhere
from tests.faults.workers import text
from tests.support.in_process import run_in_process
from tests.support.reader import read_box

pytestmark = pytest.mark.slow

TWO_DAYS_NS = 2 * 86_400 * 10**9
SMALL = {"writers": 4, "archivers": 2, "readers": 1, "pruners": 1, "kills": 40, "sends": 100}
LARGE = {"writers": 8, "archivers": 3, "readers": 1, "pruners": 2, "kills": 400, "sends": 1600}


def survive(place: Path, logs: Path, amounts: dict[str, int], seed: int, tally: Counter[str]) -> None:
    """Run a load in a place, and judge it; then archive what waits and reap what the dead left."""
    bus, box = place / "bus", place / "bus" / "beta"
    plant_empty(bus)
    with Crew() as crew:
        tally["kills"] += crew.run(Plan(str(bus), str(logs), seed, **amounts))["kills"]  # type: ignore[arg-type]
    told = account(logs)
    verdict = judge_load(box, told, text)
    tally.update(verdict.counts)
    tally["violations"] += sum(len(lines) for lines in verdict.wrong.values())
    assert verdict.wrong == {}
    assert tally["kills"] >= amounts["kills"]
    assert len(read_box(box).tmp) <= tally["kills"]
    tidy(bus)
    told.looks.clear()
    assert judge_load(box, told, text).wrong == {}
    after = read_box(box)
    assert (after.inbox, after.tmp, after.hidden) == ({}, [], [])
    assert not [id for id in after.archive if ".dup" in id]


def tidy(bus: Path) -> None:
    """Archive everything; make what the killed left look old, and let the upkeep have it."""
    box = bus / "beta"
    waiting = tuple(sorted(read_box(box).inbox))
    for path in (*(box / "tmp").iterdir(), *box.glob("*/.tmp-*")):
        old = time.time_ns() - TWO_DAYS_NS
        os.utime(path, ns=(old, old))
    (box / ".upkeep").unlink(missing_ok=True)
    some = next(iter(read_box(box).received))
    done = run_in_process(("archive", "beta", *waiting, some), bus)
    assert done.code == 0, done


@pytest.mark.timeout(300)
def test_kills_in_the_middle_of_the_work_lose_nothing(tmp_path: Path, tally: Counter[str]) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    survive(tmp_path, logs, SMALL, 1, tally)


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["here", "ext4", "xfs", "tmpfs", "exfat"])
def test_hundreds_of_kills_lose_nothing_on_any_file_system(
    kind: str, tmp_path: Path, tally: Counter[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    with somewhere(kind, tmp_path) as place:
        # FUSE does one thing at a time: a quarter of it takes as long there as all of it elsewhere.
        amounts = {**LARGE, "sends": 400, "kills": 200} if kind == "exfat" else LARGE
        survive(place, logs, amounts, 2, tally)
