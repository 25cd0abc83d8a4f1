"""Many processes on one mailbox, killed at random in the middle of their work: nothing lost, torn or replaced."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.judge_load import Account, account, judge_copies, judge_load
from tests.faults.load import Crew, Plan
from tests.faults.planting import plant_empty
from tests.faults.volumes import somewhere
from tests.faults.workers import text
from tests.support.cli import Cli
from tests.support.in_process import run_in_process
from tests.support.reader import read_box

pytestmark = pytest.mark.slow

TWO_DAYS_NS = 2 * 86_400 * 10**9
SMALL = {"writers": 4, "archivers": 2, "readers": 1, "pruners": 1, "kills": 40, "sends": 100}
LARGE = {"writers": 8, "archivers": 3, "readers": 1, "pruners": 2, "kills": 400, "sends": 1600}
#: Each call is a process, which costs thirty times as much.
SMALL_COMMANDS = {"writers": 4, "archivers": 3, "readers": 1, "pruners": 1, "kills": 12, "sends": 32}
LARGE_COMMANDS = {"writers": 8, "archivers": 3, "readers": 1, "pruners": 1, "kills": 150, "sends": 1600}


def survive(place: Path, amounts: dict[str, int], seed: int, tally: Counter[str], **how: Any) -> Account:
    """Run a load in a place, and judge it; then archive what waits and reap what the dead left."""
    bus, box, logs = place / "bus", place / "bus" / "beta", place / "logs"
    sender = how.get("sender", "alpha")
    plant_empty(bus)
    logs.mkdir()
    with Crew() as crew:
        plan = Plan(str(bus), str(logs), seed, **{**amounts, **how})
        tally["kills"] += crew.run(plan)["kills"]
    told = account(logs)
    verdict = judge_load(box, told, text, sender)
    tally.update(verdict.counts)
    tally["violations"] += sum(len(lines) for lines in verdict.wrong.values())
    assert verdict.wrong == {}
    assert tally["kills"] >= amounts["kills"]
    assert judge_copies(bus, told, sender, tally["kills"]) == []
    before = set(read_box(box).received)
    tidy(bus)
    told.looks.clear()
    assert judge_load(box, told, text, sender).wrong == {}
    assert judge_copies(bus, told, sender, 0) == []
    after, copies = read_box(box), read_box(bus / "alpha")
    assert (after.inbox, after.tmp, after.hidden) == ({}, [], [])
    assert set(after.archive) == before
    assert not [id for id in after.archive if ".dup" in id]
    assert (copies.tmp, copies.hidden) == ([], [])
    return told


def tidy(bus: Path) -> None:
    """Archive everything; make what the killed left look old, and let the upkeep and doctor have it."""
    box = bus / "beta"
    waiting = tuple(sorted(read_box(box).inbox))
    for each in (box, bus / "alpha"):
        for path in (*(each / "tmp").iterdir(), *each.glob("*/.*")):
            old = time.time_ns() - TWO_DAYS_NS
            os.utime(path, ns=(old, old))
    (box / ".upkeep").unlink(missing_ok=True)
    some = next(iter(read_box(box).received))
    if waiting:
        done = run_in_process(("archive", "beta", *waiting), bus)
        assert (done.code, done.trouble) == (0, ""), done
    done = run_in_process(("archive", "beta", some), bus)
    assert done.lines == [f"already archived {some}"], done
    Cli(bus, bus.parent)("doctor", "--fix", timeout=60)


@pytest.mark.timeout(300)
def test_kills_in_the_middle_of_the_work_lose_nothing(tmp_path: Path, tally: Counter[str]) -> None:
    survive(tmp_path, SMALL, 1, tally)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("sender", ["alpha", "stranger"])
def test_kills_of_real_commands_lose_nothing(sender: str, tmp_path: Path, tally: Counter[str]) -> None:
    survive(tmp_path, SMALL_COMMANDS, 1, tally, sender=sender, commands=True)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("sender", ["alpha", "stranger"])
def test_sixteen_hundred_messages_of_one_name_survive_a_hundred_and_fifty_kills(
    sender: str, tmp_path: Path, tally: Counter[str]
) -> None:
    # Early in a minute, so that as many messages as possible want the same id.
    time.sleep(60 - time.time() % 60)
    told = survive(tmp_path, LARGE_COMMANDS, 2, tally, sender=sender, commands=True)
    minutes = Counter(id[:13] for id, _ in told.sent.values())
    assert max(minutes.values()) >= 100


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["here", "ext4", "xfs", "tmpfs", "exfat"])
def test_hundreds_of_kills_lose_nothing_on_any_file_system(
    kind: str, tmp_path: Path, tally: Counter[str]
) -> None:
    with somewhere(kind, tmp_path) as place:
        # FUSE does one thing at a time: a quarter of it takes as long there as all of it elsewhere.
        amounts = {**LARGE, "sends": 400, "kills": 200} if kind == "exfat" else LARGE
        survive(place, amounts, 2, tally)
