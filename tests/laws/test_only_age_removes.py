"""Only the age rule removes: archived and sent messages of exact names, regular files, older than so many days."""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentmail.core.environment import Environment
from agentmail.core.errors import Refused
from agentmail.core.layout import Bus, Clock
from agentmail.core.retention import retention_days
from agentmail.verbs.archive import Archived, archive
from agentmail.verbs.call import Call
from agentmail.verbs.prune import prune
from tests.support.clocks import DAY, Fixed
from tests.support.faults import FaultyDisk
from tests.support.reader import read_box
from tests.support.worlds import World, age, tell

HOUR = DAY // 24
NOW = 1_790_000_000 * 10**9
PRUNABLE = re.compile(r"[0-9]{8}-[0-9]{4}-[A-Za-z0-9._-]+\.md(\.gz)?")

NAMES = st.one_of(
    st.sampled_from(
        [
            *(
                "20260101-0000-a-x.md.gz",
                "20260101-0000-a-x.md",
                "20260101-0000-A_b.c.md.gz",
                "20260101-0000-a.dup2.md.gz",
            ),
            *(
                "notes.md",
                "keep.md.gz",
                "20260101-0000-a-x.md.gz.bak",
                "20260101-0000-.md",
                "20260101-0000-a-x.gz",
            ),
            *(
                ".tmp-1-abc",
                ".20260101-0000-a-x.md.gz",
                "20260101-000-a-x.md",
                "٢٠٢٦٠١٠١-0000-a-x.md",
                "README",
            ),
            *(
                "20260101-0000-a x.md",
                "20260101-0000-a-x.md\n",
                "20260101-0000-a-x.MD",
                "20260101_0000-a-x.md",
            ),
        ]
    ),
    st.from_regex(PRUNABLE, fullmatch=True).filter(lambda name: len(name) < 120),
    st.text(st.sampled_from("0129-ax.md"), min_size=1, max_size=30).filter(
        lambda name: name not in (".", "..")
    ),
)
AGES = st.sampled_from([-400 * DAY, -1, 0, 1, 59 * DAY, 60 * DAY, 60 * DAY + 1, 61 * DAY, 3000 * DAY])


@settings(max_examples=60)
@given(
    st.dictionaries(st.tuples(st.sampled_from(["archive", "sent", "inbox", "tmp"]), NAMES), AGES, max_size=8)
)
@example({("archive", "20260101-0000-a-x.md.gz"): 60 * DAY})
@example({("archive", "20260101-0000-a-x.md.gz"): 60 * DAY + 1})
def test_a_prune_removes_what_the_rule_says_and_nothing_else(files: dict[tuple[str, str], int]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        box = Path(directory, "beta")
        for folder in ("archive", "sent", "inbox", "tmp"):
            (box / folder).mkdir(parents=True)
        for (folder, name), old in files.items():
            path = box / folder / name
            path.write_bytes(b"x")
            os.utime(path, ns=(NOW - old, NOW - old))
        done = prune(Call(Bus(directory, FaultyDisk(), Fixed(NOW))), "beta", "60")
        gone = {(folder, name) for folder, name in files if not (box / folder / name).exists()}
        assert gone == {
            (folder, name)
            for (folder, name), old in files.items()
            if folder in ("archive", "sent") and PRUNABLE.fullmatch(name) and old > 60 * DAY
        }
        assert sorted(done["removed"]) == sorted(f"{folder}/{name}" for folder, name in gone)


@given(st.one_of(st.text(max_size=8), st.integers(-5, 40_000).map(str), st.floats().map(str)))
@example("٦٠")
@example("60d")
@example("1e3")
@example("nan")
@example("999999999999999999999")
@example("0060")
def test_a_number_of_days_is_plain_digits_and_never_a_smaller_number_instead(text: str) -> None:
    if re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 36500:
        assert retention_days(text) == int(text)
    else:
        with pytest.raises(Refused):
            retention_days(text)


def test_a_message_that_waited_for_months_is_not_removed_by_the_call_that_archives_it(world: World) -> None:
    waiting = world.path / "beta" / "inbox" / f"{world.waiting}.md"
    age(waiting, 100)
    age(world.path / "registry.md", 0)
    done = archive(Call(world.bus(clock=Clock())), "beta", [world.waiting])
    assert done["pruned"] == [f"archive/{world.expired}.md.gz"]
    assert world.waiting in read_box(world.path / "beta").archive


def test_neither_is_one_whose_archived_copy_a_crash_left_behind_months_ago(world: World) -> None:
    box = world.path / "beta"
    message = (box / "inbox" / f"{world.waiting}.md").read_bytes()
    archive(Call(world.bus(clock=Clock())), "beta", [world.waiting])
    (box / "inbox" / f"{world.waiting}.md").write_bytes(message)
    age(box / "archive" / f"{world.waiting}.md.gz", 100)
    age(box / ".upkeep", 1)
    archive(Call(world.bus(clock=Clock())), "beta", [world.waiting])
    after = read_box(box)
    assert (after.inbox.get(world.waiting), after.archive.get(world.waiting)) == (None, message)


class InAnotherYear(FaultyDisk):
    """A disk of a machine whose clock is wrong: what is made now gets that time."""

    def __init__(self, moment: int) -> None:
        super().__init__()
        self.moment = moment

    def real(self, op: str, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """One call; the new file's time is the wrong clock's."""
        result = super().real(op, function, *args, **kwargs)
        if op in ("create", "fsync"):
            os.utime(result if op == "create" else args[0], ns=(self.moment, self.moment))
        elif op == "utime" and "ns" not in kwargs:
            os.utime(args[0], ns=(self.moment, self.moment), dir_fd=kwargs.get("dir_fd"))
        return result


def test_a_machine_that_starts_in_a_wrong_year_removes_nothing(world: World) -> None:
    then = time.time_ns() + 5000 * DAY
    before = read_box(world.path / "beta").received
    bus = Bus(str(world.path), InAnotherYear(then), Fixed(then))
    done = archive(Call(bus), "beta", [world.waiting])
    assert done["pruned"] == []
    assert "if the clock is right" in " ".join(done["warnings"])
    assert read_box(world.path / "beta").received == before


def an_hour_of_use(world: World, moment: int) -> Archived:
    """beta gets a message and archives it, on a machine with that clock; so the hourly upkeep runs."""
    bus = Bus(str(world.path), InAnotherYear(moment), Fixed(moment))
    return archive(Call(bus), "beta", [tell(bus, "alpha", "beta", "hour")])


@pytest.mark.parametrize("years", [1, 20, 400])
def test_a_clock_years_ahead_removes_nothing_however_much_is_written_by_it(world: World, years: int) -> None:
    start = time.time_ns()
    before = read_box(world.path / "beta").received
    for hour in range(years * 53 if years == 1 else 30):  # 53 steps of a week are a year
        done = an_hour_of_use(world, start + years * 365 * DAY + 2 * hour * HOUR)
        assert done["pruned"] == []
        assert "if the clock is right" in " ".join(done["warnings"])
        assert before.items() <= read_box(world.path / "beta").received.items()
    # Also where the registry was written by that clock.
    age(world.path / "registry.md", -years * 365)
    assert an_hour_of_use(world, start + years * 365 * DAY + 120 * HOUR)["pruned"] == []
    pruned = an_hour_of_use(world, start)["pruned"]
    assert pruned == [f"archive/{world.expired}.md.gz"], "the right clock prunes as before"


@pytest.mark.parametrize("first", [True, False])
def test_a_clock_years_back_removes_nothing_and_stops_nothing_for_long(world: World, first: bool) -> None:
    start = time.time_ns()
    before = read_box(world.path / "beta").received
    if first:
        (world.path / "beta" / ".upkeep").unlink()
        (world.path / "beta" / ".confirmed").unlink()
    for hour in range(3):
        assert an_hour_of_use(world, 2 * hour * HOUR)["pruned"] == []
    assert before.items() <= read_box(world.path / "beta").received.items()
    pruned = [path for hour in range(6) for path in an_hour_of_use(world, start + 2 * hour * HOUR)["pruned"]]
    assert pruned.count(f"archive/{world.expired}.md.gz") == 1
    assert set(before) - {world.expired} <= set(read_box(world.path / "beta").received)


def test_the_first_upkeep_of_a_mailbox_removes_nothing_by_a_clock_years_ahead(world: World) -> None:
    then = time.time_ns() + 3000 * DAY
    (world.path / "beta" / ".upkeep").unlink()
    (world.path / "beta" / ".confirmed").unlink()
    before = read_box(world.path / "beta").received
    for hour in range(24):
        assert an_hour_of_use(world, then + 2 * hour * HOUR)["pruned"] == []
    assert before.items() <= read_box(world.path / "beta").received.items()


def test_what_is_old_by_the_clock_alone_is_kept_until_later_upkeeps_confirm_the_clock(world: World) -> None:
    """The mailbox rested for a month: in each hour of use the confirmed time follows by a week."""
    start = time.time_ns()
    old = world.path / "beta" / "archive" / "20260101-0000-alpha-old.md.gz"
    old.write_bytes(b"")
    age(old, 61)
    age(world.path / "beta" / ".confirmed", 30)
    gone = []
    for hour in range(6):
        an_hour_of_use(world, start + 2 * hour * HOUR)
        gone.append(not old.exists())
    assert gone == [False] * 4 + [True] * 2


def test_one_that_is_right_after_a_long_rest_says_so_and_prunes_when_told(world: World) -> None:
    then = time.time_ns() + 5000 * DAY
    bus = Bus(str(world.path), FaultyDisk(), Fixed(then))
    assert archive(Call(bus), "beta", [world.waiting])["pruned"] == []
    assert f"archive/{world.expired}.md.gz" in prune(Call(bus), "beta", None)["removed"]
    # That call said that the clock is right: what is past retention later goes without a warning.
    bus = Bus(str(world.path), FaultyDisk(), Fixed(then + DAY))
    old = world.path / "beta" / "archive" / "20200101-0000-a-x.md.gz"
    old.write_bytes(b"")
    os.utime(old, ns=(then - 60 * DAY, then - 60 * DAY))
    again = tell(bus, "alpha", "beta", "again")
    os.utime(world.path / "beta" / "inbox" / f"{again}.md", ns=(then + DAY, then + DAY))
    done = archive(Call(bus), "beta", [again])
    assert (done["pruned"], done["warnings"]) == (["archive/20200101-0000-a-x.md.gz"], [])


@pytest.mark.parametrize("variable, days", [(None, "61"), ("off", "60"), ("x", "60"), ("30", "60")])
def test_a_prune_of_less_than_all_that_is_past_retention_confirms_no_clock(
    world: World, variable: str | None, days: str
) -> None:
    """A person who removes what is ten years old has not said that a clock 20 years ahead is right."""
    then = time.time_ns() + 5000 * DAY
    bus = Bus(str(world.path), InAnotherYear(then), Fixed(then))
    environment = Environment({} if variable is None else {"AGENT_MAIL_RETENTION_DAYS": variable})
    confirmed = world.path / "beta" / ".confirmed"
    before = confirmed.stat().st_mtime_ns
    prune(Call(bus, environment), "beta", days)
    assert confirmed.stat().st_mtime_ns == before
    prune(Call(bus), "beta", "60", dry_run=True)
    assert confirmed.stat().st_mtime_ns == before


def test_upkeep_runs_once_an_hour_and_the_first_time(world: World) -> None:
    box = world.path / "beta"
    removed = []
    for stamp, id in ((None, world.waiting), (0.01, world.other), (0.05, world.archived)):
        if id == world.archived:
            (box / "inbox" / f"{id}.md").write_bytes(read_box(box).archive[id])
        (box / ".upkeep").unlink(missing_ok=True)
        if stamp is not None:
            (box / ".upkeep").touch()
            age(box / ".upkeep", stamp)
        old = box / "archive" / "20200101-0000-a-x.md.gz"
        old.write_bytes(b"")
        age(old, 100)
        archive(Call(world.bus(clock=Clock())), "beta", [id])
        removed.append(not old.exists())
    assert removed == [True, False, True]


@pytest.mark.parametrize(
    "retention, removed", [(None, True), ("off", False), ("abc", False), ("0", False), ("101", False)]
)
def test_a_retention_that_is_no_number_prunes_nothing(
    world: World, retention: str | None, removed: bool
) -> None:
    variables = {} if retention is None else {"AGENT_MAIL_RETENTION_DAYS": retention}
    done = archive(Call(world.bus(clock=Clock()), Environment(variables)), "beta", [world.waiting])
    assert (world.expired not in read_box(world.path / "beta").archive) == removed
    assert bool(done["warnings"]) == (retention in ("abc", "0"))
    assert world.waiting in read_box(world.path / "beta").archive
