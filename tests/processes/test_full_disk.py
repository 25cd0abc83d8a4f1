"""A full or read-only disk: exit 75, one line that says so, nothing changed, and the same call works later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes.disks import SmallDisk, small_disk
from tests.processes.within import one_line
from tests.support.cli import Cli, Ran
from tests.support.reader import header_and_body, read_box

Tree = Callable[[Path], dict[str, str]]
BODY = b"0123456789abcde\n" * 500
LIMITS = ("pages", "inodes")


@pytest.fixture
def disk(run: Cli) -> Iterator[SmallDisk]:
    with small_disk(run.bus) as disk:
        for identity in ("alpha", "beta"):
            assert run("register", identity, str(run.home), "takes", "part").code == 0
        yield disk


def send(run: Cli) -> Ran:
    return run("send", "alpha", "beta", "hello", stdin=BODY)


def refused(ran: Ran, before: dict[str, str], after: dict[str, str]) -> bool:
    """True for a temporary failure, which has to be a clean one; False for what was done."""
    if ran.code in (0, 4):
        return False
    assert (ran.code, ran.out) == (75, "")
    assert "No space left on device" in one_line(ran.err)
    assert after == before
    return True


@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_disk_delivers_nothing_until_there_is_space(
    run: Cli, disk: SmallDisk, tree: Tree, limit: str
) -> None:
    codes = []
    for room in range(20):
        disk.leave(**{limit: room})
        before = tree(run.bus)
        ran = send(run)
        codes.append(ran.code)
        if not refused(ran, before, tree(run.bus)):
            # Delivered, with or without room for the sender's copy as well, which is said.
            id = ran.out.strip()
            boxes = {identity: read_box(run.bus / identity) for identity in ("alpha", "beta")}
            assert [(box.broken, box.tmp, box.hidden) for box in boxes.values()] == [([], [], [])] * 2
            assert header_and_body(boxes["beta"].inbox[id])[1] == BODY
            assert id in boxes["alpha"].sent if ran.code == 0 else "your own copy" in one_line(ran.err)
            if ran.code == 0:
                break
    # Pages: none, one (a cut write), two. Inodes: the claim, the second name.
    assert codes[:2] == [75, 75]
    assert codes[-1] == 0


@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_disk_archives_nothing_until_there_is_space(
    run: Cli, disk: SmallDisk, tree: Tree, limit: str
) -> None:
    id = send(run).out.strip()
    failures = 0
    for room in range(10):
        disk.leave(**{limit: room})
        before = tree(run.bus)
        ran = run("archive", "beta", id)
        if not refused(ran, before, tree(run.bus)):
            break
        failures += 1
    assert failures >= 1
    assert ran.lines == [f"archived {id}"]
    box = read_box(run.bus / "beta")
    assert (list(box.archive), box.inbox, box.broken, box.hidden) == ([id], {}, [], [])


@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_disk_unarchives_nothing_until_there_is_space(
    run: Cli, disk: SmallDisk, tree: Tree, limit: str
) -> None:
    id = send(run).out.strip()
    assert run("archive", "beta", id).code == 0
    failures = 0
    for room in range(10):
        disk.leave(**{limit: room})
        before = tree(run.bus)
        if not refused(run("unarchive", "beta", id), before, tree(run.bus)):
            break
        failures += 1
    assert failures >= 2
    box = read_box(run.bus / "beta")
    assert header_and_body(box.inbox[id])[1] == BODY
    assert (box.archive, box.broken, box.tmp) == ({}, [], [])


@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_disk_leaves_the_registry_whole_and_the_next_try_succeeds(
    run: Cli, disk: SmallDisk, limit: str
) -> None:
    registry = run.bus / "registry.md"
    before = registry.read_bytes()
    failures = 0
    for room in range(12):
        disk.leave(**{limit: room})
        ran = run("register", "gamma", str(run.home), "takes", "part")
        if ran.code == 0:
            break
        assert (ran.code, ran.out) == (75, "")
        assert "No space left on device" in one_line(ran.err)
        assert registry.read_bytes() == before
        assert not list(run.bus.glob(".registry.md.tmp-*"))
        failures += 1
    assert failures >= 1
    assert "| gamma |" in registry.read_text()
    assert {path.name for path in (run.bus / "gamma").iterdir()} >= {"tmp", "inbox", "archive"}


def test_a_full_disk_can_be_read_and_pruned(run: Cli, disk: SmallDisk) -> None:
    id = send(run).out.strip()
    disk.leave(pages=0, inodes=0)
    assert run("check", "beta").lines[0].startswith("beta: 1 waiting")
    assert BODY.decode() in run("read", "beta", id).out
    assert run("prune", "beta", "60").code == 0


def test_a_read_only_bus_can_be_read_and_takes_nothing(run: Cli, disk: SmallDisk, tree: Tree) -> None:
    archived = send(run).out.strip()
    assert run("archive", "beta", archived).code == 0
    id = send(run).out.strip()
    assert id != archived
    disk.read_only()
    before = tree(run.bus)
    for words in (
        ["send", "alpha", "beta", "hello"],
        ["reply", "beta", id],
        ["archive", "beta", id],
        ["unarchive", "beta", archived],
        ["register", "gamma", str(run.home), "takes", "part"],
        ["register", "beta", str(run.home), "takes", "another", "part"],
    ):
        ran = run(*words, stdin="text\n")
        assert (ran.code, ran.out) == (75, ""), words
        assert "Read-only file system" in one_line(ran.err)
    assert run("check", "beta").code == 0
    assert run("read", "beta", id).code == 0
    assert run("read", "beta", archived).code == 0
    assert run("roster").code == 0
    assert tree(run.bus) == before


def test_a_prune_of_a_read_only_archive_removes_nothing_and_reports_it(
    run: Cli, disk: SmallDisk, tree: Tree, age: Callable[[Path, int], None]
) -> None:
    id = send(run).out.strip()
    assert run("archive", "beta", id).code == 0
    age(run.bus / "beta/archive" / f"{id}.md.gz", 90)
    disk.read_only()
    before = tree(run.bus)
    ran = run("prune", "beta")
    assert ran.code == 1
    assert ran.lines == ["beta: removed 0 older than 60 days"]
    assert "Read-only file system" in one_line(ran.err)
    assert tree(run.bus) == before
