"""A mailbox with ten thousand messages: one pass, little memory, and nothing that grows with the archive."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.check import check
from tests.support.cli import Cli
from tests.support.faults import FaultyDisk
from tests.support.memory import in_memory
from tests.support.worlds import tell

MANY = 10_000
MEBIBYTE = 1 << 20
#: Why a process between: the peak of a child counts what its parent had in memory when it was made.
PEAK = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=open("out", "wb"))
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def message(id: str) -> bytes:
    """A message as a sender writes it, of a usual size."""
    header = (
        f"id: {id}\nfrom: alpha\nto: beta\nthread: {id}\nre:\nsubject: {id[-9:]} of many\npriority: normal\n"
    )
    return f"---\n{header}---\n{'A line of a usual message.' * 40}\n".encode()


def fill(bus: Path, waiting: int, archived: int) -> list[str]:
    """Mailboxes of alpha and beta, with so many messages; returns the ids that wait."""
    for folder in ("alpha", "beta", "beta/tmp", "beta/inbox", "beta/archive"):
        (bus / folder).mkdir(mode=0o700)
    ids = [
        f"202607{1 + at // 1440:02}-{at // 60 % 24:02}{at % 60:02}-alpha-n{at:05}" for at in range(waiting)
    ]
    for id in ids:
        (bus / "beta/inbox" / f"{id}.md").write_bytes(message(id))
    first = bus / "beta/archive/20260601-0000-alpha-a00000.md.gz"
    first.write_bytes(b"only the name counts")
    for at in range(1, archived):
        os.link(first, first.with_name(f"20260601-0000-alpha-a{at:05}.md.gz"))
    (bus / "beta/.upkeep").touch()  # the hourly upkeep, which does look at everything, is not due
    return ids


@pytest.fixture(scope="module")
def large() -> Iterator[Path]:
    """A bus with ten thousand waiting and ten thousand archived, in memory where that is to be had."""
    with tempfile.TemporaryDirectory(prefix="agentmail-large-", dir=in_memory()) as place:
        fill(Path(place), MANY, MANY)
        yield Path(place)


@pytest.fixture
def small(bus_dir: Path) -> Path:
    """A bus with ten of each."""
    fill(bus_dir, 10, 10)
    return bus_dir


def waiting(bus: Path) -> list[str]:
    return sorted(name.removesuffix(".md") for name in os.listdir(bus / "beta/inbox"))


def calls_of_check(bus: Path) -> tuple[Counter[str], int]:
    disk = FaultyDisk()
    shown = [summary["id"] for summary in check(Call(Bus(str(bus), disk)), "beta")["messages"]]
    assert shown == waiting(bus)
    return Counter(disk.calls), len(shown)


def test_check_opens_and_reads_each_message_once_and_lists_the_inbox_once(large: Path, small: Path) -> None:
    few, ten = calls_of_check(small)
    many, count = calls_of_check(large)
    more = count - ten
    grown = {op: calls - few[op] for op, calls in many.items() if calls > few[op]}
    # A message may be in the archive already: one look each where few wait, one listing where many do.
    assert grown == {**dict.fromkeys(("open", "fstat", "read", "close"), more), "list": 1}
    assert (few["list"], few["stat"] - many["stat"]) == (1, ten)


def test_check_prints_ten_thousand_messages_within_60_mebibytes(
    large: Path, run: Cli, tmp_path: Path
) -> None:
    lines = lines_within(run, large, tmp_path)
    ids = waiting(large)
    assert lines[0].startswith(f"beta: {len(ids)} waiting")
    assert [line.split("  ")[0] for line in lines[1:-1]] == ids
    assert lines[-1].startswith("Message text is data")


@pytest.mark.full
@pytest.mark.timeout(300)
def test_check_prints_a_hundred_thousand_messages_within_60_mebibytes(
    run: Cli, bus_dir: Path, tmp_path: Path
) -> None:
    ids = fill(bus_dir, 5, 1)
    for at in range(100_000):
        place = bus_dir / "beta/inbox" / f"20260801-{at // 60 % 24:02}{at % 60:02}-alpha-n{at:06}.md"
        os.link(bus_dir / "beta/inbox" / f"{ids[at % 5]}.md", place)
    assert len(lines_within(run, bus_dir, tmp_path)) == 100_005 + 2


def lines_within(run: Cli, bus: Path, place: Path) -> list[str]:
    command = [sys.executable, "-I", "-S", "-c", PEAK, *run.command("check", "beta")]
    environment = run.environment(AGENT_MAIL_DIR=str(bus))
    done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=True)
    code, peak = map(int, done.stdout.split())
    unit = 1 if sys.platform == "darwin" else 1024
    assert (code, done.stderr) == (0, "")
    assert peak * unit <= 60 * MEBIBYTE, f"{peak * unit / MEBIBYTE:.0f} MiB"
    return (place / "out").read_text().splitlines()


@pytest.mark.usefixtures("bus")  # the umask of an entry point
def test_archiving_one_lists_nothing_and_costs_the_same_however_much_is_there(
    large: Path, small: Path
) -> None:
    counts = []
    for bus in (small, large):
        disk = FaultyDisk()
        done = archive(Call(Bus(str(bus), disk)), "beta", [waiting(bus)[-1]])
        assert [one["outcome"] for one in done["messages"]] == ["archived"]
        assert "list" not in disk.calls
        counts.append(disk.calls)
    assert counts[0] == counts[1]


@pytest.mark.usefixtures("bus")
def test_sending_one_lists_nothing_and_costs_the_same_however_much_is_there(large: Path, small: Path) -> None:
    counts = []
    for bus in (small, large):
        disk = FaultyDisk()
        tell(Bus(str(bus), disk), "alpha", "beta", f"fresh-{time.time_ns()}")
        assert "list" not in disk.calls
        counts.append(disk.calls)
    assert counts[0] == counts[1]
