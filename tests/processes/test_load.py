"""A load with kill -9 at random: nothing lost, nothing twice, nothing half, whatever dies when."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.processes.load import Load, Plan, visible
from tests.support.cli import Cli
from tests.support.reader import read_box

pytestmark = pytest.mark.slow

TWO_DAYS_NS = 2 * 24 * 3600 * 10**9


@pytest.mark.parametrize("sender", ["alpha", "stranger"])
def test_every_acknowledged_message_is_there_once_and_whole_while_processes_are_killed(
    ready: Cli, sender: str
) -> None:
    judged(Load(ready, Plan(writers=4, sends=8, kills=8, sender=sender), seed=1))


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("sender", ["alpha", "stranger"])
def test_sixteen_hundred_messages_of_one_name_survive_a_hundred_and_fifty_kills(
    ready: Cli, sender: str
) -> None:
    # Early in a minute, so that as many as possible want the very same id.
    time.sleep(60 - time.time() % 60)
    started = time.monotonic()
    load = judged(Load(ready, Plan(writers=8, sends=200, kills=150, sender=sender), seed=2))
    print(
        f"{len(load.acknowledged)} acknowledged, {len(load.doubtful)} in doubt, {load.kills} kills, "
        f"{len(load.checks)} checks, {load.busiest_minute()} in one minute, "
        f"{time.monotonic() - started:.0f} s"
    )
    assert load.busiest_minute() >= 100


def judged(load: Load) -> Load:
    load.run()
    load.judge_checks(load.judge())
    archive_the_rest(load)
    reap_the_dead(load)
    return load


def archive_the_rest(load: Load) -> None:
    before = set(read_box(load.box).received)
    waiting = [name.removesuffix(".md") for name in visible(load.box / "inbox")]
    if waiting:
        done = load.cli("archive", "beta", *waiting, timeout=60)
        assert (done.code, done.err) == (0, "")
    box = load.judge()
    assert box.inbox == {}
    assert set(box.archive) == before
    assert not [id for id in box.archive if ".dup" in id]


def reap_the_dead(load: Load) -> None:
    """What the killed left behind goes when it is old, and only that: by archiving, and by `doctor --fix`."""
    boxes: list[Path] = [load.box, load.cli.bus / "alpha"]
    old = time.time_ns() - TWO_DAYS_NS
    for box in boxes:
        staging = list((box / "tmp").iterdir())
        staging += [path for folder in ("inbox", "archive", "sent") for path in (box / folder).glob(".*")]
        for path in staging:
            os.utime(path, ns=(old, old))
    (load.box / ".upkeep").unlink(missing_ok=True)
    some = visible(load.box / "archive")[0]
    assert load.cli("archive", "beta", some).lines == [f"already archived {some.removesuffix('.md.gz')}"]
    found = load.judge()
    assert (found.tmp, found.hidden) == ([], [])
    load.cli("doctor", "--fix", timeout=60)
    copies = read_box(boxes[1])
    assert (copies.tmp, copies.hidden) == ([], [])
    load.judge()
