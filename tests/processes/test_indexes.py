"""An index beside other processes, on full and read-only disks, without SQLite, and when a person interrupts: each call
answers as it would without one, and none fails because of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from tests.bench import buses
from tests.processes.disks import SmallDisk, mounted, small_disk
from tests.processes.within import limited
from tests.support.cli import Cli, Ran
from tests.views.indexes import file_of, write_index

MANY = 300
THREAD = ("thread", "beta", "topic-7")
SEARCH = ("search", "beta", "file.py:77")


@pytest.fixture
def many(run: Cli) -> Cli:
    """Beta has some hundred archived messages, too many to read them at every call."""
    run.bus.rmdir()
    buses.bus(run.bus, archived=MANY)
    (run.home / ".agents").mkdir(mode=0o700)
    return run


def database(run: Cli) -> Path:
    return Path(file_of(Bus(str(run.bus)), "beta", run.home).path)


def is_sealed(run: Cli) -> bool:
    return file_of(Bus(str(run.bus)), "beta", run.home).is_sealed()


def same(first: Ran, second: Ran) -> bool:
    """Equal but for the marks, which are drawn anew."""
    marks = [line.split(" ")[1] for ran in (first, second) for line in ran.lines if line.startswith("-----")]
    texts = [ran.out for ran in (first, second)]
    for mark in marks:
        texts = [text.replace(mark, "") for text in texts]
    return (first.code, first.err, texts[0]) == (second.code, second.err, texts[1])


def test_a_call_that_read_many_writes_an_index_after_its_answer(many: Cli) -> None:
    first = many(*THREAD)
    assert (first.code, first.err, is_sealed(many)) == (0, "", True)
    write_index(Bus(str(many.bus)), "beta", many.home)
    assert same(many(*THREAD), first)
    assert sorted(path.name for path in database(many).parent.iterdir()) == [
        "beta.db",
        "beta.lock",
        "beta.seal",
    ]


def test_a_call_that_read_few_writes_none(run: Cli) -> None:
    run.bus.rmdir()
    buses.bus(run.bus, archived=100)
    assert run(*THREAD).code == 0
    assert not database(run).exists()


def test_several_at_once_all_answer_and_leave_a_whole_index(many: Cli) -> None:
    expected = many(*SEARCH)
    for _ in range(3):
        database(many).unlink()
        calls = [
            subprocess.Popen(
                many.command(*SEARCH),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=many.environment(),
                cwd=many.home,
            )
            for _ in range(6)
        ]
        for call in calls:
            out, err = call.communicate()
            assert same(Ran(call.returncode, out, err), expected)
    many(*SEARCH)
    assert is_sealed(many)


def test_without_a_place_to_write_every_call_answers_from_the_files(many: Cli) -> None:
    expected = many(*THREAD, env={"HOME": "/proc/none"})
    assert expected.code == 0
    (many.home / ".agents").chmod(0o500)
    with mounted(many.home / ".agents", "-t", "tmpfs", "-o", "ro", "none"):
        assert same(many(*THREAD), expected)


def test_a_read_only_bus_gets_an_index_elsewhere(many: Cli) -> None:
    with mounted(many.bus, "--bind", many.bus):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(many.bus)], check=True)
        expected = many(*THREAD)
        assert (expected.code, is_sealed(many)) == (0, True)
        write_index(Bus(str(many.bus)), "beta", many.home)
        assert same(many(*THREAD), expected)


@pytest.fixture
def small(many: Cli) -> Iterator[SmallDisk]:
    with small_disk(many.home / ".agents") as disk:
        (many.home / ".agents").chmod(0o700)
        yield disk


@pytest.mark.parametrize("limit", ["pages", "inodes"])
def test_a_full_disk_costs_the_index_and_nothing_else(many: Cli, small: SmallDisk, limit: str) -> None:
    expected = many(*THREAD, env={"HOME": "/proc/none"})
    for room in (*range(12), 20, 40, 80):
        small.leave(**{limit: room})
        assert same(many(*THREAD), expected), room
        if is_sealed(many):
            break
        assert not database(many).exists(), "what was begun is removed"
        assert room < 80
    assert is_sealed(many)


def test_a_full_disk_while_an_index_is_brought_up_to_date_costs_the_index(
    many: Cli, small: SmallDisk
) -> None:
    write_index(Bus(str(many.bus)), "beta", many.home)
    for number in range(MANY, 3 * MANY):
        id, data = buses.text(number)
        buses.write(many.bus / "beta" / "inbox" / f"{id}.md", data)
    small.leave(pages=0)
    expected = many(*THREAD, env={"HOME": "/proc/none"})
    assert same(many(*THREAD), expected)
    small.leave()
    assert same(many(*THREAD), expected)
    assert is_sealed(many)


def test_a_file_that_may_not_grow_costs_the_index(many: Cli) -> None:
    expected = many(*THREAD, env={"HOME": "/proc/none"})
    assert same(limited(many, "f", 16)(*THREAD), expected)
    assert not database(many).exists()


WITHOUT_SQLITE = """
import sys
sys.modules["_sqlite3"] = sys.modules["sqlite3"] = None
sys.path.insert(0, sys.argv.pop(1))
from agentmail.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_python_without_sqlite_answers_from_the_files(many: Cli) -> None:
    expected = many(*THREAD)
    write_index(Bus(str(many.bus)), "beta", many.home)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WITHOUT_SQLITE, str(root), *THREAD],
        capture_output=True,
        env=many.environment(),
        cwd=many.home,
        stdin=subprocess.DEVNULL,
    )
    assert same(Ran(done.returncode, done.stdout, done.stderr), expected)


#: The command line with a progress that ends the process in the middle of the second walk, which writes the index.
STOPS = """
import os, signal, sys
sys.path.insert(0, sys.argv.pop(1))
number = getattr(signal, sys.argv.pop(1))
from agentmail.cli import context, main

class Stopping(context.Context):
    walks = 0
    def progress(self, listing, doing):
        self.walks += 1
        for at, one in enumerate(listing):
            if (self.walks, at) == (2, 100):
                os.kill(os.getpid(), number)
            yield one

context.Context = Stopping
sys.exit(main.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("signal_name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -signal.SIGKILL)]
)
def test_a_call_that_is_ended_while_it_writes_has_answered_and_leaves_no_index_that_is_read(
    many: Cli, signal_name: str, code: int
) -> None:
    expected = many(*THREAD, env={"HOME": "/proc/none"})
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STOPS, str(Path(__file__).parents[2]), signal_name, *THREAD],
        capture_output=True,
        env=many.environment(),
        cwd=many.home,
        stdin=subprocess.DEVNULL,
    )
    ended = Ran(done.returncode, done.stdout, done.stderr)
    assert ended.code == code
    assert same(Ran(0, ended.stdout, ended.stderr), expected)
    assert not is_sealed(many)
    assert database(many).exists() == (signal_name == "SIGKILL")
    assert same(many(*THREAD), expected)
    assert is_sealed(many)
