"""A bus, a mailbox or a folder that this user may not change: exit 75, one line, nothing changed, never `no mail`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes.disks import immutable
from tests.processes.within import NOBODY, Within, as_nobody, one_line
from tests.support.cli import Cli

Tree = Callable[[Path], dict[str, str]]


@pytest.fixture
def nobody() -> Iterator[Within]:
    """The command line as a user who is not root, on a bus of that user's own, with one message for beta."""
    place = Path(tempfile.mkdtemp(prefix="agentmail-nobody-", dir="/tmp"))
    try:
        place.chmod(0o755)
        (place / "home").mkdir()
        nobody = as_nobody(Cli(place / "home" / "bus", place / "home"), place)
        os.chown(place / "home", NOBODY, NOBODY)
        for identity in ("alpha", "beta"):
            assert nobody("register", identity, "-", "takes", "part").code == 0
        assert nobody("send", "alpha", "beta", "hello", stdin="text\n").code == 0
        yield nobody
    finally:
        shutil.rmtree(place)


def writes(bus: Path) -> list[list[str]]:
    """A call of each command that would change something."""
    (id,) = (path.stem for path in (bus / "beta/inbox").iterdir())
    return [
        ["send", "alpha", "beta", "again"],
        ["reply", "beta", id],
        ["archive", "beta", id],
        ["register", "gamma", "-", "takes", "part"],
        ["register", "beta", "-", "takes", "another", "part"],
    ]


def reads(bus: Path) -> list[list[str]]:
    """A call of each command that would show something."""
    (id,) = (path.stem for path in (bus / "beta/inbox").iterdir())
    return [["check", "beta"], ["read", "beta", id], ["roster"], ["prune", "beta"]]


@pytest.mark.parametrize("mode", ["0700", "0755", "0777"])
def test_a_bus_of_another_user_is_refused_with_any_mode(nobody: Within, tree: Tree, mode: str) -> None:
    calls = writes(nobody.bus) + reads(nobody.bus)
    for path in (nobody.bus, *nobody.bus.rglob("*")):
        os.chown(path, 0, 0)
        path.chmod(int(mode, 8) & (0o777 if path.is_dir() else 0o666))
    before = tree(nobody.bus)
    for words in calls:
        ran = nobody(*words, stdin="text\n")
        assert (ran.code, ran.out) == (75, ""), words
        assert ("another user" if mode != "0700" else "Permission denied") in one_line(ran.err)
    assert tree(nobody.bus) == before


def test_a_mailbox_of_another_user_is_refused(nobody: Within, tree: Tree) -> None:
    calls = [words for words in writes(nobody.bus) + reads(nobody.bus) if "beta" in words]
    calls = [words for words in calls if words[0] != "register"]
    os.chown(nobody.bus / "beta", 0, 0)
    (nobody.bus / "beta").chmod(0o777)
    before = tree(nobody.bus)
    for words in calls:
        ran = nobody(*words, stdin="text\n")
        assert (ran.code, ran.out) == (75, ""), words
        assert "another user" in one_line(ran.err)
    assert tree(nobody.bus) == before


@pytest.mark.parametrize("mode", ["0000", "0300"])
def test_an_inbox_that_cannot_be_listed_is_an_error_and_never_empty(nobody: Within, mode: str) -> None:
    (nobody.bus / "beta/inbox").chmod(int(mode, 8))
    ran = nobody("check", "beta")
    assert (ran.code, ran.out) == (75, "")
    assert "Permission denied" in one_line(ran.err)
    assert "no mail" not in ran.err


@pytest.mark.parametrize("folder", ["tmp", "inbox", "archive"])
def test_a_read_only_folder_takes_no_message_and_loses_none(nobody: Within, tree: Tree, folder: str) -> None:
    (id,) = (path.stem for path in (nobody.bus / "beta/inbox").iterdir())
    (nobody.bus / "beta" / folder).chmod(0o500)
    if folder != "archive":
        before = tree(nobody.bus)
        ran = nobody("send", "alpha", "beta", "again", stdin="text\n")
        assert (ran.code, ran.out) == (75, "")
        assert "Permission denied" in one_line(ran.err)
        assert tree(nobody.bus) == before
    if folder == "archive":
        before = tree(nobody.bus)
        ran = nobody("archive", "beta", id)
        assert (ran.code, ran.out) == (75, "")
        assert "Permission denied" in one_line(ran.err)
        assert tree(nobody.bus) == before
    if folder == "inbox":
        ran = nobody("archive", "beta", id)
        assert ran.code == 4
        assert "nothing is lost" in ran.err
        assert (nobody.bus / "beta/inbox" / f"{id}.md").is_file()
        assert (nobody.bus / "beta/archive" / f"{id}.md.gz").is_file()


def test_a_message_that_cannot_be_read_is_listed_and_is_an_error(nobody: Within) -> None:
    (path,) = (nobody.bus / "beta/inbox").iterdir()
    path.chmod(0)
    ran = nobody("check", "beta")
    assert ran.code == 75
    assert path.stem in ran.lines[1]
    assert "[unreadable]" in ran.lines[1]
    assert "Permission denied" in one_line(ran.err)
    ran = nobody("archive", "beta", path.stem)
    assert (ran.code, ran.out) == (75, "")
    assert path.exists()


# An immutable folder stops root too; its error is the one of a file system without hard links.


@pytest.fixture
def waiting(ready: Cli) -> str:
    return ready("send", "alpha", "beta", "hello", stdin="text\n").out.strip()


@pytest.mark.parametrize("folder", ["tmp", "inbox"])
def test_an_immutable_folder_takes_no_message(ready: Cli, tree: Tree, folder: str) -> None:
    with immutable(ready.bus / "beta" / folder):
        before = tree(ready.bus)
        ran = ready("send", "alpha", "beta", "again", stdin="text\n")
        assert (ran.code, ran.out) == (75, "")
        one_line(ran.err)
        assert tree(ready.bus) == before


def test_an_immutable_archive_leaves_the_message_waiting(ready: Cli, tree: Tree, waiting: str) -> None:
    with immutable(ready.bus / "beta/archive"):
        before = tree(ready.bus)
        ran = ready("archive", "beta", waiting)
        assert (ran.code, ran.out) == (75, "")
        assert "still in the inbox" in one_line(ran.err)
        assert tree(ready.bus) == before


def test_an_immutable_inbox_keeps_both_copies_and_reports_it(ready: Cli, waiting: str) -> None:
    with immutable(ready.bus / "beta/inbox"):
        ran = ready("archive", "beta", waiting)
        assert ran.code == 4
        assert "nothing is lost" in ran.err
        assert (ready.bus / "beta/inbox" / f"{waiting}.md").is_file()
        assert ready("check", "beta").lines[1].endswith("[already-archived]")
    assert ready("archive", "beta", waiting).code == 0
    assert not (ready.bus / "beta/inbox" / f"{waiting}.md").exists()
    assert [path.name for path in (ready.bus / "beta/archive").iterdir()] == [f"{waiting}.md.gz"]


def test_an_immutable_archive_keeps_a_message_that_unarchive_asks_for(
    ready: Cli, tree: Tree, waiting: str
) -> None:
    assert ready("archive", "beta", waiting).code == 0
    with immutable(ready.bus / "beta/inbox"):
        before = tree(ready.bus)
        ran = ready("unarchive", "beta", waiting)
        assert (ran.code, ran.out) == (75, "")
        assert "still in the archive" in one_line(ran.err)
        assert tree(ready.bus) == before
    with immutable(ready.bus / "beta/archive"):
        ran = ready("unarchive", "beta", waiting)
        assert ran.code == 4
        assert "both places" in one_line(ran.err)


@pytest.mark.parametrize(
    "words", [("gamma", "-", "takes", "part"), ("beta", "-", "takes", "another", "part")]
)
def test_an_immutable_bus_keeps_its_registry(ready: Cli, tree: Tree, words: tuple[str, ...]) -> None:
    with immutable(ready.bus):
        before = tree(ready.bus)
        ran = ready("register", *words)
        assert (ran.code, ran.out) == (75, "")
        assert "the registry was left as it was" in one_line(ran.err)
        assert tree(ready.bus) == before
