"""A file that is ours as a whole is written once, never over somebody's text, and removed without a trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import Disk
from agentmail.hosts.own_file import CHANGED, CURRENT, MISSING, OLDER, OwnFile
from tests.support.trees import tree

TEXT = "export default 1\n"


def own(path: Path, text: str = TEXT) -> OwnFile:
    return OwnFile(Disk(), str(path), text)


def old(path: Path) -> Path:
    """Make a file old, so that nobody takes it for one that is being saved."""
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


@pytest.mark.parametrize("below", ["", "config", "config/host/plugin"])
def test_wire_then_unwire_leaves_no_trace_and_wiring_again_writes_nothing(tmp_path: Path, below: str) -> None:
    before = tree(tmp_path)
    path = tmp_path / below / "agentmail.js"
    assert (own(path).state(), own(path).wire()) == (MISSING, True)
    assert path.read_text().startswith(TEXT)
    once = path.stat()
    assert (own(path).state(), own(path).wire()) == (CURRENT, False)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (once.st_ino, once.st_mtime_ns)
    assert own(path).unwire() == CURRENT
    assert tree(tmp_path) == before
    assert own(path).unwire() == MISSING


def test_a_directory_that_somebody_else_uses_stays(tmp_path: Path) -> None:
    path = tmp_path / "host" / "plugin" / "agentmail.js"
    own(path).wire()
    (path.parent / "theirs.js").write_text("theirs")
    own(path).unwire()
    assert [one.name for one in path.parent.iterdir()] == ["theirs.js"]


def test_the_file_of_an_earlier_version_is_replaced_and_its_directories_are_still_removed(
    tmp_path: Path,
) -> None:
    before = tree(tmp_path)
    path = tmp_path / "plugin" / "agentmail.js"
    own(path, "an earlier text\n").wire()
    assert (own(path).state(), own(path).wire(), own(path).state()) == (OLDER, True, CURRENT)
    own(path, "an even later text\n").unwire()
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "change", [lambda text: text + "\n", lambda text: "x" + text, lambda _: TEXT, str.upper]
)
def test_a_file_that_was_changed_is_kept_and_never_replaced(tmp_path: Path, change) -> None:
    path = tmp_path / "plugin" / "agentmail.js"
    own(path).wire()
    path.write_text(change(path.read_text()))
    old(path)
    before = tree(tmp_path)
    for call in (own(path).wire, own(path, "another\n").wire, own(path).diff):
        with pytest.raises(Refused, match="not as `wire` wrote it"):
            call()
    assert (own(path).state(), own(path).unwire()) == (CHANGED, CHANGED)
    assert tree(tmp_path) == before


def test_the_diff_says_what_wiring_then_writes(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "agentmail.js"
    added = [line[1:] for line in own(path).diff().split("\n")[3:]]
    assert not path.parent.exists()
    own(path).wire()
    assert path.read_text().splitlines() == added
    assert own(path).diff() == ""


def test_a_symlink_to_our_file_is_kept_when_wired_and_goes_with_the_file(tmp_path: Path) -> None:
    place, link = tmp_path / "dotfiles.js", tmp_path / "agentmail.js"
    own(place, "earlier\n").wire()
    link.symlink_to(place)
    assert own(link).wire()
    assert link.is_symlink()
    assert place.read_text().startswith(TEXT)
    assert own(link).unwire() == CURRENT
    assert os.listdir(tmp_path) == []


def test_a_symlink_to_nothing_and_a_fifo_are_refused(tmp_path: Path) -> None:
    link, fifo = tmp_path / "agentmail.js", tmp_path / "fifo.js"
    link.symlink_to(tmp_path / "nowhere")
    os.mkfifo(fifo)
    before = tree(tmp_path)
    for path in (link, fifo):
        with pytest.raises(Refused):
            own(path).wire()
    assert tree(tmp_path) == before


def test_a_file_made_read_only_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "agentmail.js"
    own(path, "earlier\n").wire()
    path.chmod(0o400)
    before = tree(tmp_path)
    with pytest.raises(TryAgain, match="read-only"):
        own(path).wire()
    assert tree(tmp_path) == before


def test_directories_of_a_try_that_failed_are_removed(tmp_path: Path) -> None:
    class Full(Disk):
        def invoke(self, op, function, /, *args, **kwargs):
            if op == "write":
                raise OSError(28, "full")
            return super().invoke(op, function, *args, **kwargs)

    before = tree(tmp_path)
    with pytest.raises(OSError, match="full"):
        OwnFile(Full(), str(tmp_path / "a" / "b" / "agentmail.js"), TEXT).wire()
    assert tree(tmp_path) == before


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "agentmail.js"
    own(path).wire()
    (tmp_path / ".agentmail.js.tmp-0123456789ab").write_text("half")
    own(path).unwire()
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_saved_between_look_and_removal_stays(tmp_path: Path) -> None:
    path = tmp_path / "agentmail.js"
    own(path).wire()

    class Saved(Disk):
        """Somebody saves the file right after it was first read."""

        reads = 0

        def read(self, fd, limit):
            data = super().read(fd, limit)
            self.reads += 1
            if self.reads == 1:
                path.write_text("their text\n")
                old(path)
            return data

    assert OwnFile(Saved(), str(path), TEXT).unwire() == CHANGED
    assert path.read_text() == "their text\n"
