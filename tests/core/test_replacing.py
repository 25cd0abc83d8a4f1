"""A file that people edit too is replaced whole, under a lock, or left as it is."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.errors import AgentMailError, Refused, TryAgain, Unconfirmed
from agentmail.core.fs import Disk
from agentmail.core.locked_edit import edit
from tests.support.faults import FaultyDisk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "settings.json"
    found.write_bytes(b"old")
    found.chmod(0o640)
    return found


def put(new: bytes) -> Callable[[bytes | None], bytes]:
    return lambda data: data if data == new else new


def change(path: Path, new: bytes = b"new", disk: Disk | None = None, **options: Any) -> bool:
    return edit(disk or Disk(), str(path), put(new), limit=1000, **options)


def test_it_says_whether_anything_changed(path: Path) -> None:
    before = path.stat().st_ino
    assert change(path, b"old") is False
    assert path.stat().st_ino == before
    assert change(path) is True
    assert path.read_bytes() == b"new"
    assert sorted(os.listdir(path.parent)) == [".settings.lock", "settings.json"]


@pytest.mark.parametrize(
    "mode, mask, after", [(0o640, 0o7777, 0o640), (0o644, 0o600, 0o600), (0o400, 0o600, 0o400)]
)
def test_the_mode_is_kept_within_the_mask_and_never_widened(
    path: Path, mode: int, mask: int, after: int
) -> None:
    path.chmod(mode)
    change(path, mask=mask)
    assert path.stat().st_mode & 0o7777 == after


def test_a_new_file_is_its_owner_s(tmp_path: Path) -> None:
    assert change(tmp_path / "new.json") is True
    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o600


def test_a_symlink_stays_and_its_target_is_replaced(path: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "s.json"
    path.rename(target)
    path.symlink_to(target)
    change(path)
    assert path.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(os.listdir(target.parent)) == [".s.lock", "s.json"]


def test_a_symlink_to_nothing_is_refused(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(Refused):
        change(path)
    assert path.is_symlink()


@pytest.mark.parametrize("kind", ["directory", "fifo"])
def test_what_is_no_file_is_an_error(path: Path, kind: str) -> None:
    path.unlink()
    path.mkdir() if kind == "directory" else os.mkfifo(path)
    with pytest.raises(OSError):
        change(path)
    assert sorted(os.listdir(path.parent)) == [".settings.lock", "settings.json"]


def test_a_lock_that_is_a_symlink_is_an_error(path: Path, tmp_path: Path) -> None:
    (tmp_path / ".settings.lock").symlink_to(tmp_path / "other")
    with pytest.raises(OSError):
        change(path)
    assert not (tmp_path / "other").exists()
    assert path.read_bytes() == b"old"


def test_who_holds_the_lock_is_waited_for_and_then_not(path: Path) -> None:
    class Impatient(Disk):
        patience = 0.0

    change(path, b"mid")
    with (path.parent / ".settings.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError):
            change(path, disk=Impatient())
    assert path.read_bytes() == b"mid"
    assert change(path, disk=Impatient())


def test_a_file_that_keeps_changing_is_left_to_its_editor(path: Path) -> None:
    count = 0

    def save(_number: int, op: str) -> None:
        nonlocal count
        if op == "fchmod":
            count += 1
            path.write_bytes(b"edit %d" % count)

    with pytest.raises(TryAgain):
        change(path, disk=FaultyDisk(watch=save))
    assert path.read_bytes() == b"edit %d" % count
    assert sorted(os.listdir(path.parent)) == [".settings.lock", "settings.json"]


def test_a_refusal_of_the_change_changes_nothing(path: Path) -> None:
    def refuse(_data: bytes | None) -> bytes:
        raise Refused("no", "as it was", "")

    with pytest.raises(Refused):
        edit(Disk(), str(path), refuse, limit=1000)
    assert path.read_bytes() == b"old"


def test_more_than_the_limit_is_seen_by_the_change(path: Path) -> None:
    path.write_bytes(b"x" * 2000)
    seen: list[bytes | None] = []

    def look(data: bytes | None) -> bytes:
        seen.append(data)
        return data or b""

    edit(Disk(), str(path), look, limit=1000)
    assert [len(data or b"") for data in seen] == [1001]


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOENT])
def test_a_rename_that_was_done_counts_whatever_is_reported(path: Path, code: int) -> None:
    class Lying(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            result = super().invoke(op, function, *args, **kwargs)
            if op == "rename":
                raise OSError(code, os.strerror(code))
            return result

    assert change(path, disk=Lying()) is True
    assert path.read_bytes() == b"new"


def test_changed_but_not_confirmed_is_said(path: Path) -> None:
    class Unsure(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "fsyncdir":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().invoke(op, function, *args, **kwargs)

    with pytest.raises(Unconfirmed):
        change(path, disk=Unsure())
    assert path.read_bytes() == b"new"


def test_a_signal_takes_the_staging_back(path: Path) -> None:
    def strike(_number: int, op: str) -> None:
        if op == "exchange":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        change(path, disk=FaultyDisk(watch=strike))
    assert path.read_bytes() == b"old"
    assert sorted(os.listdir(path.parent)) == [".settings.lock", "settings.json"]
    assert issubclass(AgentMailError, Exception)
