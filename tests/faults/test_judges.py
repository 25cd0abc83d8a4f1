"""The judges detect each kind of violation, made by hand, and report it by its name."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.judge import Ended, judge
from tests.faults.judge_load import account, judge_copies, judge_load
from tests.faults.planting import ARCHIVED, EXPIRED, OTHER, WAITING, message, plant_empty, registry, write
from tests.faults.stories import BODY, STORIES, arrange, seen
from tests.faults.workers import text
from tests.support.cli import ROOT

NEW = "20260801-0000-alpha-hello"


def test_the_judges_ask_nothing_of_the_program() -> None:
    code = (
        "import sys, tests.faults.judge, tests.faults.judge_load, tests.faults.planting\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [name for name in done.stdout.split() if name.startswith("agentmail")] == []


def waits(box: Path, id: str = NEW, body: bytes = BODY) -> None:
    """A message in the inbox, and the sender's copy."""
    data = message(id, body=body.decode())
    write(box / "inbox" / f"{id}.md", data)
    write(box.parent / "alpha" / "sent" / f"{id}.md", data)


def moves(box: Path) -> None:
    data = (box / "inbox" / f"{WAITING}.md").read_bytes()
    write(box / "archive" / f"{WAITING}.md.gz", gzip.compress(data))
    (box / "inbox" / f"{WAITING}.md").unlink()


def both(first: Callable[[Path], object], second: Callable[[Path], object]) -> Callable[[Path], object]:
    def change(box: Path) -> None:
        first(box)
        second(box)

    return change


def says(*ids: str) -> str:
    return "".join(f"{id}  alpha\n" for id in ids)


RIGHT: list[tuple[str, Callable[[Path], object], Ended]] = [
    ("send", waits, Ended(0, f"{NEW}\n")),
    ("send", waits, Ended(None)),
    ("send", lambda box: None, Ended(75)),
    ("archive", moves, Ended(0)),
    ("archive", lambda box: None, Ended(None)),
    ("check", lambda box: None, Ended(0, says(WAITING, OTHER))),
    ("check", lambda box: None, Ended(75, "", "could not read")),
    ("register", lambda box: None, Ended(75)),
]


@pytest.mark.parametrize(("name", "change", "ended"), RIGHT)
def test_a_correct_result_passes(
    name: str, change: Callable[[Path], object], ended: Ended, tmp_path: Path
) -> None:
    assert told(name, change, ended, tmp_path) == []


def told(name: str, change: Callable[[Path], object], ended: Ended, tmp_path: Path) -> list[str]:
    story = STORIES[name]
    bus = arrange(story, tmp_path / "place")
    before = seen(story, bus)
    change(bus / "beta")
    return judge(story, before, seen(story, bus), ended)


WRONG: list[tuple[str, str, Callable[[Path], object], Ended]] = [
    ("I1 exit 0, and the message is there 0 times", "send", lambda box: None, Ended(0)),
    ("I1 exit 4, and the message is there 0 times", "send", lambda box: None, Ended(4)),
    ("I2 delivered 2 times", "send", both(waits, lambda box: waits(box, NEW + "-2")), Ended(None)),
    ("I2 torn", "send", lambda box: waits(box, body=BODY[:4096]), Ended(None)),
    ("I2 torn", "send", lambda box: write(box / "inbox" / f"{NEW}.md", b""), Ended(None)),
    ("says that nothing was delivered", "send", waits, Ended(75)),
    ("does not name", "send", waits, Ended(0, "20260801-0000-alpha-other\n")),
    ("no copy in sent", "send", lambda box: write(box / "inbox" / f"{NEW}.md", message(NEW, body=BODY.decode())), Ended(0, NEW)),
    ("I1 lost", "send", lambda box: (box / "archive" / f"{ARCHIVED}.md.gz").unlink(), Ended(75)),
    ("I4 replaced", "send", lambda box: write(box / "inbox" / f"{OTHER}.md", message(OTHER) + b"more"), Ended(75)),
    ("I3", "archive", lambda box: (box / "inbox" / f"{WAITING}.md").unlink(), Ended(None)),
    ("exit 0, and", "archive", lambda box: None, Ended(0)),
    ("exit 75, and", "archive", moves, Ended(75)),
    ("I4 replaced", "archive", both(moves, lambda box: write(box / "archive" / f"{WAITING}.md", b"other")), Ended(0)),
    ("I2 torn", "archive", lambda box: write(box / "archive" / f"{WAITING}.md.gz", gzip.compress(b"x" * 99)[:15]), Ended(None)),
    ("I6 removed", "archive", both(moves, lambda box: (box / "archive" / f"{EXPIRED}.md.gz").unlink()), Ended(0)),
    ("and still there", "prune", lambda box: None, Ended(0)),
    ("I6 removed archive/" + ARCHIVED, "prune", lambda box: (box / "archive" / f"{ARCHIVED}.md.gz").unlink(), Ended(None)),
    ("I5", "check", lambda box: None, Ended(0, says(OTHER))),
    ("I5", "check", lambda box: None, Ended(0, says(OTHER, WAITING))),
    ("I5", "check", lambda box: None, Ended(75, "beta: no mail (/bus/beta/inbox)\n")),
    ("I4 exit None, and the registry", "register", lambda box: write(box.parent / "registry.md", registry("alpha")), Ended(None)),
    ("no mailbox", "register", lambda box: write(box.parent / "registry.md", registry("alpha", "beta", "gamma")), Ended(None)),
    ("the command ended with 1", "send", lambda box: None, Ended(1, "", "Traceback (most recent call last)")),
    ("the command ended with 139", "send", lambda box: None, Ended(139)),
    ("strange", "archive", waits, Ended(None)),
    ("is not acknowledged", "ack", lambda box: None, Ended(0)),
]  # fmt: skip


@pytest.mark.parametrize(("word", "name", "change", "ended"), WRONG, ids=range(len(WRONG)))
def test_each_violation_is_reported_by_its_name(
    word: str, name: str, change: Callable[[Path], object], ended: Ended, tmp_path: Path
) -> None:
    wrong = told(name, change, ended, tmp_path)
    assert [line for line in wrong if word in line], wrong


IDS = ["20260704-0930-alpha-load", "20260704-0930-alpha-load-2", "20260704-0930-alpha-load-10"]


def load(tmp_path: Path, *more: str, until: int = 0) -> dict[str, list[str]]:
    """Three messages sent, the last one archived, and a look at two; then what else was said. What is wrong."""
    bus, logs = tmp_path / "bus", tmp_path / "logs"
    if not bus.exists():
        plant_empty(bus)
        logs.mkdir()
        for number, id in enumerate(IDS):
            folder = "archive" if number == 2 else "inbox"
            write(bus / "beta" / folder / f"{id}.md", sent(number, id))
    lines = [f"attempt {number}0 1 {number}" for number in range(3)]
    lines += [f"sent {number}5 1 {number} {id}" for number, id in enumerate(IDS)]
    lines += [f"archive 26 {IDS[2]}", f"archived 30 {IDS[2]}", f"looked 40 35 {IDS[0]} {IDS[1]}", *more]
    (logs / "all.log").write_text("\n".join(lines) + "\n")
    return judge_load(bus / "beta", account(logs, until), text).wrong


def sent(number: int, id: str) -> bytes:
    whole = message(id, body=text(1, number).decode())
    return whole.replace(f"subject: about {id}".encode(), f"subject: w1 n{number}".encode())


def test_a_correct_load_passes(tmp_path: Path) -> None:
    assert load(tmp_path, f"row 45 {IDS[0]} alpha normal w1 n0 [already-archived]") == {}


def test_a_copy_that_is_missing_or_differs_is_reported(tmp_path: Path) -> None:
    load(tmp_path)
    bus, told = tmp_path / "bus", account(tmp_path / "logs")
    for number, id in enumerate(IDS):
        write(bus / "alpha" / "sent" / f"{id}.md", sent(number, id))
    assert judge_copies(bus, told, "alpha", 0) == []
    write(bus / "alpha" / "sent" / f"{IDS[0]}.md", sent(1, IDS[0]))
    (bus / "alpha" / "sent" / f"{IDS[1]}.md").unlink()
    write(bus / "alpha" / "tmp" / "left.md", b"")
    assert len(judge_copies(bus, told, "alpha", 0)) == 3
    assert len(judge_copies(bus, told, "alpha", 1)) == 2
    assert len(judge_copies(bus, told, "stranger", 1)) == 0


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("lost", "sent 50 1 3 20260704-0930-alpha-load-11"),
        ("undone", f"archived 50 {IDS[0]}"),
        ("hidden", f"looked 50 45 {IDS[0]}"),
        ("disorder", f"looked 50 45 {IDS[1]} {IDS[0]}"),
        ("strange", f"looked 50 45 {IDS[0]} {IDS[1]} 20260704-0930-alpha-load-99"),
        ("failed", "failed 50 75 no space"),
        ("misshown", f"row 50 {IDS[0]} alpha high w1 n0"),
        ("misshown", f"row 50 {IDS[0]} alpha normal w1 n2"),
        ("misshown", f"row 50 {IDS[0]} alpha normal w1 n0 [unregistered-sender]"),
    ],
)
def test_a_false_line_in_a_log_is_reported(tmp_path: Path, word: str, line: str) -> None:
    assert list(load(tmp_path, line)) == [word]
    assert load(tmp_path, line, until=48) == {}, "after the cut it does not count"


@pytest.mark.parametrize(
    ("word", "change"),
    [
        ("torn", lambda box: write(box / "inbox" / f"{IDS[0]}.md", sent(0, IDS[0])[:-9])),
        ("torn", lambda box: write(box / "archive" / f"{IDS[2]}.md.gz", b"\x1f\x8b\x08")),
        ("lost", lambda box: (box / "inbox" / f"{IDS[0]}.md").unlink()),
        ("twice", lambda box: write(box / "inbox" / f"{IDS[0]}-11.md", sent(0, f"{IDS[0]}-11"))),
        ("strange", lambda box: write(box / "inbox" / f"{IDS[0]}-11.md", sent(9, f"{IDS[0]}-11"))),
        ("undone", lambda box: (box / "archive" / f"{IDS[2]}.md").rename(box / "inbox" / f"{IDS[2]}.md")),
    ],
)
def test_a_damaged_mailbox_is_reported(tmp_path: Path, word: str, change: Callable[[Path], object]) -> None:
    load(tmp_path)
    change(tmp_path / "bus" / "beta")
    assert word in load(tmp_path)
