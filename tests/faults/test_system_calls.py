"""The real command dies, or gets an error, at every system call that touches the bus; the promises hold.

A kill strikes before the call takes effect. An error stands in place of the call, once.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.errors import errors_of
from tests.faults.judge import Story, judge
from tests.faults.stories import ALL, LOOKING, STORIES, arrange, next_try, run, seen
from tests.faults.strace import Point, Strace
from tests.support.cli import START

pytestmark = pytest.mark.usefixtures("needs_strace")

#: How many points each command has at least. A number that sinks means that the record no longer sees them.
FLOOR = {
    "send": 53,
    "send-to-an-address": 123,
    "send-first-ever": 62,
    "reply": 66,
    "delegate": 68,
    "check": 32,
    "read": 13,
    "roster": 19,
    "archive": 29,
    "archive-and-upkeep": 106,
    "unarchive": 27,
    "prune": 34,
    "register": 60,
    "register-first": 43,
    "register-change": 56,
    "ack": 32,
    "wire": 82,
    "unwire": 93,
    "wait": 93,
    "check-with-session": 59,
    "threads": 68,
    "thread": 79,
    "receipts": 29,
    "sessions": 6,
    "search": 68,
    "snapshot": 95,
    "doctor": 435,
}


class Traced:
    """One command on its bus, which is made anew for each run."""

    def __init__(self, story: Story, environment: dict[str, str], place: Path) -> None:
        self.story = story
        self.place = place / "place"
        self.bus = arrange(story, self.place)
        command = [sys.executable, "-S", "-c", START, *story.words]
        environment = {**environment, **dict(story.variables)}
        # Wiring and unwiring run the hooks.
        starts_others = bool(story.keeps)
        self.strace = Strace(command, environment, story.stdin, self.place, starts_others=starts_others)
        self.before = seen(story, self.bus)
        self.points, ended = self.strace.record()
        self.done = seen(story, self.bus)
        assert judge(story, self.before, self.done, ended) == []
        assert ended.code == 0

    def meets(self, point: Point, fault: str) -> Iterator[str]:
        """What is wrong after a fault at a point, and after trying again."""
        arrange(self.story, self.place)
        ended, struck = self.strace.inject(point, fault)
        if not struck:
            yield "the fault did not strike there"
        after = seen(self.story, self.bus)
        yield from judge(self.story, self.before, after, ended, self.done)
        if fault.startswith("error"):
            if point.syscall != "unlinkat" and after.staging:
                yield f"left behind: {after.staging}"
            # Settings are looked for by their path, with calls that Python does not make again.
            if fault == "error=EINTR" and ended.code != 0 and not self.story.keeps:
                yield f"a signal is no failure, and the command ended with {ended.code}: {ended.err}"
        again = self.strace.plain() if self.story.keeps else run(self.story, self.bus, next_try(self.story))
        if again.code != 0:
            yield f"trying again ended with {again.code}: {again.err}"
        for line in judge(self.story, self.before, seen(self.story, self.bus), again, self.done):
            yield f"after trying again: {line}"


@pytest.fixture
def traced(request: pytest.FixtureRequest, environment: dict[str, str], tmp_path: Path) -> Traced:
    return Traced(ALL[request.param], environment, tmp_path)


#: CI leaves out what only looks: it meets its faults in the test's process there, at a tenth of the time.
every_command = pytest.mark.parametrize(
    "traced",
    [*STORIES, *(pytest.param(name, marks=pytest.mark.full) for name in LOOKING)],
    indirect=True,
)


def suffer(traced: Traced, faults: list[tuple[Point, str]], tally: Counter[str]) -> None:
    """Meet each fault; everything that is wrong is told at the end, not only the first."""
    wrong = []
    for point, fault in faults:
        wrong += [f"{point}, {fault}: {line}" for line in traced.meets(point, fault)]
    tally["points"] += len(traced.points)
    tally["runs"] += len(faults)
    tally["violations"] += len(wrong)
    assert wrong == []


@pytest.mark.slow
@every_command
@pytest.mark.timeout(300)
def test_killed_before_any_system_call_nothing_is_lost_or_torn(traced: Traced, tally: Counter[str]) -> None:
    suffer(traced, [(point, "signal=KILL") for point in traced.points], tally)
    assert len(traced.points) >= FLOOR[traced.story.name]


@pytest.mark.slow
@every_command
@pytest.mark.timeout(300)
def test_an_error_at_any_system_call_is_reported_and_the_next_try_completes_the_work(
    traced: Traced, tally: Counter[str]
) -> None:
    faults = [(point, f"error={errors_of(point.syscall)[0]}") for point in traced.points]
    suffer(traced, faults, tally)


@pytest.mark.full
@every_command
@pytest.mark.timeout(1200)
def test_every_error_at_every_system_call_is_reported_and_the_next_try_completes_the_work(
    traced: Traced, tally: Counter[str]
) -> None:
    faults = [(point, f"error={error}") for point in traced.points for error in errors_of(point.syscall)[1:]]
    suffer(traced, faults, tally)


@pytest.mark.parametrize("traced", ["send"], indirect=True)
def test_send_syncs_the_file_then_links_then_syncs_the_directory_then_releases_the_claim(
    traced: Traced,
) -> None:
    # A power cut that keeps an unlink and forgets a link cannot be arranged on ext4 or xfs, which keep one
    # order for both; so the order itself is looked at.
    order = [f"{point.syscall} {point.about}" for point in traced.points]
    wanted = [
        "write /bus/beta/tmp/alpha-hello.md",
        "fsync /bus/beta/tmp/alpha-hello.md",
        "linkat /bus/beta/tmp/alpha-hello.md /bus/beta/inbox/alpha-hello.md",
        "fsync /bus/beta/inbox",
        "unlinkat /bus/beta/tmp/alpha-hello.md",
    ]
    assert [line for line in order if line in wanted] == wanted


@pytest.mark.parametrize("traced", ["archive"], indirect=True)
def test_archive_has_the_archive_on_disk_before_it_leaves_the_inbox(traced: Traced) -> None:
    order = [f"{point.syscall} {point.about}" for point in traced.points]
    leaves = next(
        number
        for number, line in enumerate(order)
        if line.startswith("renameat /bus/beta/inbox/alpha-waiting.md")
    )
    assert "fsync /bus/beta/archive" in order[:leaves]
    assert "fsync /bus/beta/inbox" in order[leaves:]
