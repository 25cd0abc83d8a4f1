"""A mailbox with ten thousand archived messages: without an index one pass over the files, and memory for their names alone."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.receipts import receipts
from agentmail.verbs.search import search
from agentmail.verbs.thread import thread
from agentmail.verbs.threads import threads
from tests.cli.terminal import on_terminal
from tests.support.cli import Cli
from tests.support.faults import FaultyDisk
from tests.views.indexes import file_of

pytestmark = pytest.mark.slow

FEW, MANY = 2_000, 10_000
MEBIBYTE = 1 << 20
#: What a name may cost: two texts, a pair, a place in a list and one in a set.
PER_NAME = 700
#: Why a process between: the peak of a child counts what its parent had in memory when it was made.
PEAK = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=open("out", "wb"))
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def message(id: str, thread: str, text: str) -> bytes:
    """A message with a text of 4 KiB, by which keeping texts would show."""
    header = (
        f"id: {id}\nfrom: alpha\nto: beta\nthread: {thread}\nre:\nsubject: one of many\npriority: normal\n"
    )
    return f"---\n{header}---\n{text}\n{'A line of a long message.' * 160}\n".encode()


def fill(bus: Path, archived: int) -> Path:
    """A mailbox with so many archived messages of ten threads, and three of a thread of their own: one in each folder."""
    for folder in ("beta", "beta/tmp", "beta/inbox", "beta/archive", "beta/sent"):
        (bus / folder).mkdir(mode=0o700)
    archive = bus / "beta/archive"
    firsts = []
    for at in range(10):
        id = f"20260601-0000-alpha-a{at:06}"
        firsts.append(archive / f"{id}.md.gz")
        firsts[-1].write_bytes(gzip.compress(message(id, f"t{at}", "a text")))
    for at in range(10, archived):
        os.link(firsts[at % 10], archive / f"20260602-{at // 60 % 24:02}{at % 60:02}-alpha-a{at:06}.md.gz")
    for place, suffix in (("inbox", ".md"), ("archive", ".md.gz"), ("sent", ".md")):
        id = f"20260701-0000-{place}"
        data = message(id, "wanted", "the needle")
        (bus / "beta" / place / f"{id}{suffix}").write_bytes(
            gzip.compress(data) if suffix == ".md.gz" else data
        )
    (bus / "registry.md").write_text("| id | workdir | responsibility |\n|---|---|---|\n| beta | - | x |\n")
    return bus


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    return {count: fill(tmp_path_factory.mktemp(f"bus-{count}"), count) for count in (FEW, MANY)}


def peak(run: Cli, bus: Path, place: Path, *words: str, home: str | None = None) -> int:
    """The most memory that a command had, in bytes; its answer is in the file `out`."""
    command = [sys.executable, "-I", "-S", "-c", PEAK, *run.command(*words)]
    done = subprocess.run(
        command,
        env=run.environment(AGENT_MAIL_DIR=str(bus), **({"HOME": home} if home else {})),
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
    )
    code, kibibytes = map(int, done.stdout.split())
    assert (code, done.stderr) == (0, "")
    return kibibytes * (1 if sys.platform == "darwin" else 1024)


VIEWS = [
    ("thread", "beta", "wanted"),
    ("threads", "beta"),
    ("search", "beta", "needle"),
    ("snapshot", "beta"),
]


@pytest.mark.parametrize("words", VIEWS, ids=lambda words: words[0])
def test_memory_grows_only_with_the_names(
    buses: dict[int, Path], run: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    peaks = {count: peak(run, bus, tmp_path, *words) for count, bus in buses.items()}
    shown = (tmp_path / "out").read_text()
    assert "20260701-0000-inbox" in shown or "wanted  3, 1 waiting" in shown
    grown = peaks[MANY] - peaks[FEW]
    assert grown <= PER_NAME * (MANY - FEW) + MEBIBYTE, (
        f"{grown / MEBIBYTE:.1f} MiB more for {MANY - FEW} more"
    )
    assert peaks[MANY] <= 60 * MEBIBYTE


LOOKS: dict[str, Callable[[Bus], object]] = {
    "thread": lambda bus: thread(Call(bus), "beta", "wanted"),
    "threads": lambda bus: threads(Call(bus), "beta"),
    "search": lambda bus: search(Call(bus), "beta", "needle"),
}


@pytest.mark.parametrize("look", LOOKS)
def test_each_message_is_opened_once_and_each_folder_listed_a_few_times(
    buses: dict[int, Path], look: str
) -> None:
    calls: dict[int, Counter[str]] = {}
    for count, bus in buses.items():
        disk = FaultyDisk()
        LOOKS[look](Bus(str(bus), disk))
        calls[count] = Counter(disk.calls)
    few, many = calls[FEW], calls[MANY]
    grown = {op: many[op] - few[op] for op in many if many[op] != few[op]}
    assert grown == dict.fromkeys(("open", "fstat", "read", "close"), MANY - FEW)
    assert many["list"] <= 6


def test_receipts_of_received_messages_open_no_archived_message(buses: dict[int, Path]) -> None:
    disk = FaultyDisk()
    (one,) = receipts(Call(Bus(str(buses[MANY]), disk)), "beta", "20260701-0000-inbox")["messages"]
    assert one["place"] == "inbox"
    assert disk.calls.count("open") < 20


def test_a_long_walk_shows_a_bar_on_a_terminal_and_nowhere_else(buses: dict[int, Path], run: Cli) -> None:
    words = ("thread", "beta", "wanted")
    long, short = (Cli(buses[count], run.home) for count in (MANY, FEW))
    assert long(*words).err == ""
    code, seen = on_terminal(long, *words, HOME="/nowhere")
    assert (code, "reading" in seen) == (0, True)
    assert "reading" not in on_terminal(short, *words)[1]


@pytest.mark.timeout(300)
def test_views_of_a_hundred_thousand_archived_messages_have_60_mebibytes_with_and_without_an_index(
    buses: dict[int, Path], run: Cli, tmp_path: Path, bus_dir: Path
) -> None:
    fill(bus_dir, 100_000)
    peaks: dict[str, int] = {}
    answers: dict[str, list[bytes]] = {}
    home = str(run.home)
    for how, place in (("no index", "/nowhere"), ("first build", home), ("index", home)):
        for words in VIEWS if how != "first build" else VIEWS[:1]:
            peaks[f"{words[0]}, {how}"] = peak(run, bus_dir, tmp_path, *words, home=place)
            answers.setdefault(words[0], []).append((tmp_path / "out").read_bytes())
    most = {name: f"{found / MEBIBYTE:.0f}" for name, found in peaks.items() if found > 60 * MEBIBYTE}
    assert most == {}
    assert file_of(Bus(str(bus_dir)), "beta", run.home).is_sealed()
    assert {name: len(set(map(len, texts))) for name, texts in answers.items()} == dict.fromkeys(answers, 1)
    scanned, indexed = (json.loads(text)["messages"] for text in answers["snapshot"])
    assert len(scanned) == 100_003
    assert scanned == indexed
    grown = peaks["thread, no index"] - peak(run, buses[FEW], tmp_path, *VIEWS[0], home="/nowhere")
    assert grown <= PER_NAME * (100_000 - FEW) + MEBIBYTE, f"{grown / MEBIBYTE:.0f} MiB"
    code, seen = on_terminal(run, *VIEWS[0], HOME="/nowhere")
    assert (code, "reading" in seen, "100%" in seen) == (0, True, True)
