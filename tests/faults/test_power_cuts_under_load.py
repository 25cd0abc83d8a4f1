"""The power goes while writers and archivers are at work: what was acknowledged before is there after.

The controls leave out one kind of sync in the dying processes, and must be found out.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.judge_load import account, judge_load
from tests.faults.load import Crew, Plan
from tests.faults.planting import plant_empty
from tests.faults.volumes import JOURNALLED, volume
from tests.faults.workers import text

pytestmark = pytest.mark.slow

CUTS, CONTROL_CUTS = 40, 8
#: With one writer at a time, who has no mailbox and keeps no copy, nobody else's sync makes up for a missing one.
ALONE = {"writers": 1, "archivers": 1}


def suffer(kind: str, place: Path, cuts: int, left_out: str = "nothing") -> tuple[Counter[str], Counter[str]]:
    """Cut the power of one file system so many times; what was counted, and what was wrong."""
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    choice = random.Random(f"{kind} {left_out}")
    with volume(kind, place) as disk, Crew() as crew:
        for number in range(cuts):
            plant_empty(disk.root / f"bus-{number}", *(["beta"] if left_out != "nothing" else []))
        disk.remount()
        for number in range(cuts):
            bus, logs = disk.root / f"bus-{number}", place / f"logs-{number}"
            logs.mkdir()
            plan = Plan(
                str(bus),
                str(logs),
                number,
                mount=str(disk.root),
                seconds=choice.uniform(0.05, 0.6),
                left_out=left_out,
                **(ALONE if left_out != "nothing" else {}),  # type: ignore[arg-type]
            )
            struck = crew.run(plan)["cut"]
            disk.remount()
            verdict = judge_load(bus / "beta", account(logs, struck), text)
            counts.update(verdict.counts)
            counts["cuts"] += 1
            for word, lines in verdict.wrong.items():
                wrong[word] += len(lines)
                print(f"{kind}, cut {number}: {word}: {lines[:3]}")
    return counts, wrong


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", JOURNALLED)
def test_forty_power_cuts_under_load_lose_nothing(kind: str, tmp_path: Path, tally: Counter[str]) -> None:
    counts, wrong = suffer(kind, tmp_path, CUTS)
    tally.update(counts)
    tally["violations"] += wrong.total()
    assert not wrong
    assert counts["sends"] > 10 * CUTS


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("left_out", ["file-sync", "directory-sync"])
@pytest.mark.parametrize("kind", JOURNALLED)
def test_a_missing_sync_is_detected_under_load(
    kind: str, left_out: str, tmp_path: Path, tally: Counter[str]
) -> None:
    counts, wrong = suffer(kind, tmp_path, CONTROL_CUTS, left_out)
    tally["control cuts"] += counts["cuts"]
    tally["control violations"] += wrong.total()
    assert wrong
