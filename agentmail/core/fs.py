"""Every file-system call of the product, by directory descriptor, through one gate.

A `Disk` is handed to whatever touches the bus. Its `invoke` sees each system call by name, so a test
can count the calls, fail one, or end the process before one; nothing else in the product opens, links,
renames or removes.

Why by descriptor and O_NOFOLLOW: a name is checked once and then used under the directory it was
checked in; a symlink that somebody put in a mailbox's place is an error, never a road out of the bus.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from agentmail.core import names

NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
NO_DIRECTORY_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
NO_FULL_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY})

READ = os.O_RDONLY | os.O_CLOEXEC
LOOK = READ | os.O_NOFOLLOW | os.O_NONBLOCK
DIRECTORY = READ | os.O_DIRECTORY
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Handle:
    """An open descriptor that a `with` block closes; the block gets the number."""

    __slots__ = ("disk", "fd")

    def __init__(self, disk: Disk, fd: int) -> None:
        self.disk = disk
        self.fd = fd

    def __enter__(self) -> int:
        return self.fd

    def __exit__(self, *_: object) -> None:
        self.disk.close(self.fd)


class Disk:
    """The system calls of the product. `notes` collects what went wrong without changing an outcome."""

    #: Seconds that another's lock is waited for, at most.
    patience = 10.0

    def __init__(self) -> None:
        self.notes: list[str] = []

    def invoke(self, _op: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Make one system call; the place where a test steps in."""
        return function(*args, **kwargs)

    def call(self, op: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Make a system call, again after EINTR: Python retries only some of them itself."""
        while True:
            try:
                return self.invoke(op, function, *args, **kwargs)
            except InterruptedError:
                continue

    # Opening and reading

    def directory(self, name: str, parent: int | None = None, *, follow: bool = False) -> Handle:
        """Open a directory; a symlink in its place is ENOTDIR, but for `follow`."""
        flags = DIRECTORY if follow else DIRECTORY | os.O_NOFOLLOW
        return Handle(self, self.call("open", os.open, name, flags, dir_fd=parent))

    def file(self, name: str, parent: int) -> Handle:
        """Open a file to read; never waits for a FIFO's writer, never follows a symlink."""
        return Handle(self, self.call("open", os.open, name, LOOK, dir_fd=parent))

    def create(self, name: str, parent: int) -> Handle:
        """Make a new file, 0600, for reading and writing; FileExistsError when the name is taken."""
        return Handle(self, self.call("create", os.open, name, CREATE, 0o600, dir_fd=parent))

    def read(self, fd: int, limit: int) -> bytes:
        """All of a file, but at most `limit` bytes."""
        chunk = self.call("read", os.read, fd, limit)
        if not chunk or len(chunk) >= limit:
            return chunk
        parts = [chunk]
        left = limit - len(chunk)
        while left and (chunk := self.call("read", os.read, fd, min(left, 1 << 20))):
            parts.append(chunk)
            left -= len(chunk)
        return b"".join(parts)

    def peek(
        self, name: str, parent: int, size: int, *, whole: bool = False
    ) -> tuple[os.stat_result, bytes | None]:
        """What stands under a name, and the first `size` bytes of it, or None where it is no regular file.

        `whole`: of a file that is larger nothing is read.
        For thousands in turn: nothing is changed, so an interrupted look is simply made again as a whole.
        """
        while True:
            try:
                fd = self.invoke("open", os.open, name, LOOK, dir_fd=parent)
                try:
                    info = self.invoke("fstat", os.fstat, fd)
                    if not is_file(info):
                        return info, None
                    if whole and info.st_size > size:
                        return info, b""
                    wanted = min(size, info.st_size)
                    data = self.invoke("read", os.read, fd, wanted)
                    return info, data if len(data) == wanted else data + self.read(fd, wanted - len(data))
                finally:
                    self.close(fd)
            except InterruptedError:
                continue

    def names(self, fd: int) -> list[str]:
        """The entries of a directory, in no order; hidden names are ours and left out."""
        return [name for name in self.call("list", os.listdir, fd) if name[0] != "."]

    def hidden_names(self, fd: int) -> list[str]:
        """Our own entries of a directory, in no order."""
        return [name for name in self.call("list", os.listdir, fd) if name[0] == "."]

    def stat(self, name: str, parent: int) -> os.stat_result:
        """What stands under a name, not following a symlink."""
        return self.call("stat", os.stat, name, dir_fd=parent, follow_symlinks=False)

    def stat_or_none(self, name: str, parent: int) -> os.stat_result | None:
        """`stat`, or None where there is nothing of that name."""
        try:
            return self.stat(name, parent)
        except OSError as error:
            # Nothing can stand under a name that is too long to stand anywhere.
            if error.errno not in (errno.ENOENT, errno.ENAMETOOLONG):
                raise
            return None

    def fstat(self, fd: int) -> os.stat_result:
        """What a descriptor is open on."""
        return self.call("fstat", os.fstat, fd)

    def exists(self, name: str, parent: int) -> bool:
        """True where an entry of that name stands, whatever it is."""
        return self.stat_or_none(name, parent) is not None

    def close(self, fd: int) -> None:
        """Close; a late error of the device cannot undo what was synced, so it is only noted.

        Never again after EINTR: Linux has closed it by then, and the number may be another file's already.
        """
        try:
            self.invoke("close", os.close, fd)
        except InterruptedError:
            return
        except OSError as error:
            self.notes.append(f"closing a file reported {reason(error)}; what was synced stays")

    # Writing

    def make_directory(self, name: str, parent: int | None) -> bool:
        """Make a directory, 0700, and its name durable; False where it stood already."""
        try:
            self.call("mkdir", os.mkdir, name, 0o700, dir_fd=parent)
        except FileExistsError:
            return False
        if parent is not None:
            self.sync_directory(parent)
        return True

    def write(self, fd: int, data: bytes) -> None:
        """Write all of `data`, however short the single writes are, and make it durable."""
        view = memoryview(data)
        while view:
            view = view[self.call("write", os.write, fd, view) :]
        self.sync_file(fd)
        if self.fstat(fd).st_size != len(data):
            raise OSError(errno.EIO, "the file has another size than was written")

    def sync_file(self, fd: int) -> None:
        """Make a file's bytes durable.

        Why an EIO is never retried: the kernel may have marked the pages clean, and a second fsync
        would then report a success that is none.
        """
        if sys.platform == "darwin":
            # There fsync stops at the drive's own cache; this goes through it.
            import fcntl

            try:
                self.call("fsync", fcntl.fcntl, fd, fcntl.F_FULLFSYNC)
                return
            except OSError as error:
                if error.errno not in NO_FULL_SYNC:
                    raise
        self.call("fsync", os.fsync, fd)

    def sync_directory(self, fd: int) -> None:
        """Make the names in a directory durable, where the file system knows such a thing."""
        try:
            self.call("fsyncdir", os.fsync, fd)
        except OSError as error:
            if error.errno not in NO_DIRECTORY_SYNC:
                raise

    def link(self, name: str, parent: int, new: str, new_parent: int) -> None:
        """Give a file a second name; FileExistsError when that is taken."""
        self.call("link", os.link, name, new, src_dir_fd=parent, dst_dir_fd=new_parent, follow_symlinks=False)

    def rename(self, name: str, parent: int, new: str, new_parent: int) -> None:
        """Rename, replacing what stands there."""
        self.call("rename", os.rename, name, new, src_dir_fd=parent, dst_dir_fd=new_parent)

    def unlink(self, name: str, parent: int) -> bool:
        """Remove a name; False where it was gone already."""
        try:
            self.call("unlink", os.unlink, name, dir_fd=parent)
        except FileNotFoundError:
            return False
        return True

    def discard(self, name: str, parent: int) -> None:
        """Remove a staging name of ours, if it can be: a leftover is harmless and reaped later."""
        try:
            self.unlink(name, parent)
        except OSError:
            self.notes.append(
                f"a staging file {name} was left behind; `agentmail doctor --fix` reaps it in time"
            )

    def chmod(self, fd: int, mode: int) -> None:
        """Set the mode of what a descriptor is open on."""
        self.call("fchmod", os.fchmod, fd, mode)


def is_file(info: os.stat_result) -> bool:
    """True for a regular file."""
    return stat.S_ISREG(info.st_mode)


def reason(error: OSError) -> str:
    """An error of the system in words, with the name it concerns where it has one."""
    text = os.strerror(error.errno) if error.errno else str(error)
    name = error.filename
    return f"{text} ({names.printable(name[:300])})" if name and isinstance(name, str) else text


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
