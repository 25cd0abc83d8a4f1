"""The gate to the disk: signals, short calls, syncs that a file system does not know, locks."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.fs import Disk, reason
from agentmail.core.layout import Bus
from agentmail.core.locks import Locked, lock, try_lock, unlock


class Scripted(Disk):
    """A disk whose calls of some kind first do what a list says: raise an error, or take a function's place."""

    def __init__(self, op: str, *script: OSError | Callable[..., Any]) -> None:
        super().__init__()
        self.op = op
        self.script = list(script)
        self.made = 0

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One call."""
        if op != self.op:
            return super().invoke(op, function, *args, **kwargs)
        self.made += 1
        step = self.script.pop(0) if self.script else function
        if isinstance(step, OSError):
            raise step
        return step(*args, **kwargs)


def error(code: int) -> OSError:
    return OSError(code, os.strerror(code))


@pytest.fixture
def parent(tmp_path: Path):
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize("op", ["link", "rename", "unlink", "mkdir", "stat", "create", "list"])
def test_a_signal_is_no_failure(parent: int, tmp_path: Path, op: str) -> None:
    (tmp_path / "a").write_bytes(b"x")
    disk = Scripted(op, error(errno.EINTR), error(errno.EINTR))
    {
        "link": lambda: disk.link("a", parent, "b", parent),
        "rename": lambda: disk.rename("a", parent, "b", parent),
        "unlink": lambda: disk.unlink("a", parent),
        "mkdir": lambda: disk.make_directory("d", parent),
        "stat": lambda: disk.stat("a", parent),
        "create": lambda: disk.close(disk.create("c", parent).fd),
        "list": lambda: disk.names(parent),
    }[op]()
    assert disk.made == 3


def test_a_file_that_grows_while_a_look_is_interrupted_is_seen_whole(parent: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"short")

    class Growing(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "read" and (tmp_path / "file").stat().st_size == len(b"short"):
                (tmp_path / "file").write_bytes(b"much longer")
                raise InterruptedError
            return super().invoke(op, function, *args, **kwargs)

    info, data = Growing().peek("file", parent, 100)
    assert (info.st_size, data) == (11, b"much longer")


def test_a_close_is_never_repeated(parent: int) -> None:
    disk = Scripted("close", error(errno.EINTR))
    disk.close(disk.create("a", parent).fd)
    assert disk.made == 1
    assert disk.notes == []


def test_a_late_error_of_close_is_noted_and_no_failure(parent: int) -> None:
    disk = Scripted("close", error(errno.EIO))
    disk.close(disk.create("a", parent).fd)
    assert "Input/output error" in disk.notes[0]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_short_writes_go_on(parent: int, tmp_path: Path, size: int) -> None:
    class Short(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "write":
                return function(args[0], args[1][:size])
            return super().invoke(op, function, *args, **kwargs)

    with Short().create("a", parent) as fd:
        Short().write(fd, b"0123456789" * 30)
    assert (tmp_path / "a").read_bytes() == b"0123456789" * 30


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_short_reads_go_on_and_stop_at_the_limit(parent: int, tmp_path: Path, size: int) -> None:
    class Short(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "read":
                return function(args[0], min(size, args[1]))
            return super().invoke(op, function, *args, **kwargs)

    data = b"0123456789" * 30
    (tmp_path / "a").write_bytes(data)
    for limit in (1, 2, 299, 300, 301, 5000):
        with Short().file("a", parent) as fd:
            assert Short().read(fd, limit) == data[:limit]
        assert Short().peek("a", parent, limit)[1] == data[:limit]
        assert Short().peek("a", parent, limit, whole=True)[1] == (data if limit >= 300 else b"")


def test_a_file_of_another_size_than_was_written_is_an_error(parent: int, tmp_path: Path) -> None:
    disk = Scripted("write", lambda fd, data: len(data))
    with disk.create("a", parent) as fd, pytest.raises(OSError, match="file size differs"):
        disk.write(fd, b"text")


def test_a_failed_sync_of_a_file_is_never_tried_again(parent: int) -> None:
    disk = Scripted("fsync", error(errno.EIO))
    with disk.create("a", parent) as fd, pytest.raises(OSError, match="Input/output error"):
        disk.write(fd, b"text")
    assert disk.made == 1


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_syncs_no_directories_is_good_enough(parent: int, code: int) -> None:
    Scripted("fsyncdir", error(code)).sync_directory(parent)


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_a_failed_sync_of_a_directory_is_an_error(parent: int, code: int) -> None:
    with pytest.raises(OSError, match=os.strerror(code)):
        Scripted("fsyncdir", error(code)).sync_directory(parent)


@pytest.mark.parametrize("make", ["directory", "file"])
def test_a_symlink_is_never_followed(parent: int, tmp_path: Path, make: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError, match=r"link|directory"):
        getattr(Disk(), make)("link", parent)


def test_a_file_is_made_for_its_owner_alone_and_only_where_nothing_is(parent: int, tmp_path: Path) -> None:
    Disk().close(Disk().create("a", parent).fd)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("a", "dangling"):
        with pytest.raises(FileExistsError):
            Disk().create(name, parent)


def test_opening_a_fifo_does_not_wait(parent: int, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    Disk().close(Disk().file("fifo", parent).fd)


def test_hidden_names_are_ours(parent: int, tmp_path: Path) -> None:
    for name in (".hidden", "seen"):
        (tmp_path / name).touch()
    assert (Disk().names(parent), Disk().hidden_names(parent)) == (["seen"], [".hidden"])


def test_a_name_too_long_to_be_there_is_not_there(parent: int) -> None:
    assert Disk().stat_or_none("x" * 300, parent) is None


def test_a_leftover_that_cannot_be_removed_is_noted(parent: int) -> None:
    disk = Scripted("unlink", error(errno.EACCES))
    disk.discard("a", parent)
    assert "left behind" in disk.notes[0]


def test_a_lock_is_held_until_it_is_given_back(parent: int, tmp_path: Path) -> None:
    other = os.open(tmp_path, os.O_RDONLY)
    disk = Disk()
    with Locked(disk, parent):
        assert not try_lock(disk, other)
        with pytest.raises(TimeoutError) as waited:
            lock(disk, other, 0)
        assert reason(waited.value) == "another process holds the lock"
    assert try_lock(disk, other)
    os.close(other)


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP])
def test_a_file_system_without_locks_is_noted(parent: int, code: int) -> None:
    disk = Scripted("flock", error(code))
    assert try_lock(disk, parent)
    assert "no locks" in disk.notes[0]


def test_another_error_of_a_lock_is_an_error(parent: int) -> None:
    with pytest.raises(OSError, match="Input/output"):
        try_lock(Scripted("flock", error(errno.EIO)), parent)


def test_giving_back_never_fails(parent: int) -> None:
    disk = Disk()
    os.close(os.dup(parent))
    unlock(disk, parent)
    disk = Scripted("flock", error(errno.EIO))
    unlock(disk, parent)
    assert "lock" in disk.notes[0]
    fcntl.flock(parent, fcntl.LOCK_UN)


def test_an_error_in_words_names_what_it_concerns() -> None:
    assert reason(OSError(errno.ENOENT, "x", "name")) == "No such file or directory (name)"
    assert reason(OSError("just words")) == "just words"


def test_a_folder_that_is_removed_just_after_it_was_made_is_made_again(tmp_path: Path) -> None:
    removed: list[str] = []

    class Unlucky(Disk):
        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            done = super().invoke(op, function, *args, **kwargs)
            if op == "mkdir" and not removed:
                removed.append(args[0])
                (tmp_path / "beta" / "inbox").rmdir()
            return done

    (tmp_path / "beta").mkdir()
    with Bus(str(tmp_path), Unlucky()).mailbox("beta") as box:
        assert box.disk.names(box.folder("inbox")) == []
    assert removed == ["inbox"]
