"""One command on a disk that meets a fault at each of its calls, judged after the fault and after the next try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.hosts.base import DryRun
from tests.faults.judge import Ended, Seen, Story, judge
from tests.faults.stories import arrange, next_try, run, seen
from tests.support.fault_loop import Found, Strike, strike_each
from tests.support.faults import Crashed, Fault, FaultyDisk

#: Makes a disk that meets a fault at a call, or none.
NewDisk = Callable[[Fault | None, int], FaultyDisk]


def strike_command(story: Story, place: Path, new_disk: NewDisk, every: int = 1) -> tuple[list[str], Found]:
    """Run the story without a fault, then with each; the calls that it makes, and what was found.

    Wiring runs each hook at the end, as a process that no fault of this disk meets: that is left out.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "agentmail.hosts.hooks_file.install.run_hook",
            lambda _host, one, *_: DryRun(one.event, "mail-check", True, ""),
        )
        return _strike_command(story, place, new_disk, every)


def _strike_command(story: Story, place: Path, new_disk: NewDisk, every: int) -> tuple[list[str], Found]:
    bus = arrange(story, place)
    before, healthy = seen(story, bus), new_disk(None, -1)
    ended = attempt(story, bus, healthy)
    done = seen(story, bus)
    assert (ended.code, judge(story, before, done, ended)) == (0, [])

    def meet(strike: Strike) -> list[str]:
        arrange(story, place)
        disk = new_disk(strike.effect, strike.at)
        ended = attempt(story, bus, disk)
        return wrongs(story, before, done, bus, strike, ended) + still_open(strike, disk)

    return healthy.calls, strike_each(healthy.calls, meet, every)


def attempt(story: Story, bus: Path, disk: FaultyDisk) -> Ended:
    """Run; a crash has no exit code."""
    try:
        return run(story, bus, disk=disk)
    except Crashed:
        return Ended(None)
    finally:
        disk.bury()


def still_open(strike: Strike, disk: FaultyDisk) -> list[str]:
    """The descriptors that a failed command did not close; a crash, or a failed close, leaves them open."""
    closes = strike.fault.startswith(("fails", "stays broken", "is short")) and strike.op != "close"
    return [f"{len(disk.open)} descriptors stay open"] if closes and disk.open else []


def wrongs(story: Story, before: Seen, done: Seen, bus: Path, strike: Strike, ended: Ended) -> list[str]:
    """What is wrong after a fault, and after the next try on a disk without any."""
    after = seen(story, bus)
    wrong = judge(story, before, after, ended, done)
    if strike.fault in ("fails with EINTR", "is short") and ended.code != 0:
        wrong.append(f"a signal, or a short read or write, is no failure: {ended}")
    if strike.fault.startswith("fails") and strike.op != "unlink" and after.staging:
        wrong.append(f"left behind: {after.staging}")
    if story.name == "check" and after != before:
        wrong.append("a command that looks changed the bus")
    again = run(story, bus, next_try(story))
    if again.code != 0:
        wrong.append(f"trying again ended with {again.code}: {again.err}")
    return wrong + [f"then: {line}" for line in judge(story, before, seen(story, bus), again, done)]
