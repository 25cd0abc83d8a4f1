"""Every file-system call of the product, relative to a directory descriptor, through `Disk.invoke`.

All code that touches the bus gets a `Disk`. Its `invoke` sees each system call by name, so a test can count
the calls, make one fail, or end the process before one. No other code opens, links, renames or removes.

Why descriptors and O_NOFOLLOW: a name is checked once and then used in the directory in which it was
checked. A symlink that replaces a mailbox is an error and never leads out of the bus.
"""

from __future__ import annotations

import errno
import sys

from agentmail.core import names, system

NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
NO_DIRECTORY_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})

READ = system.O_RDONLY | system.O_CLOEXEC
LOOK = READ | system.O_NOFOLLOW | system.O_NONBLOCK
DIRECTORY = READ | system.O_DIRECTORY
CREATE = system.O_RDWR | system.O_CREAT | system.O_EXCL | system.O_NOFOLLOW | system.O_CLOEXEC


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
    """The system calls of the product. `notes` collects errors that change no outcome."""

    #: The longest wait for a lock that another process holds, in seconds.
    patience = 10.0

    def __init__(self) -> None:
        self.notes: list[str] = []

    def invoke(self, _op: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Make one system call; tests override this method."""
        return function(*args, **kwargs)

    def call(self, op: str, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Make a system call, and repeat it after EINTR: Python repeats only some of them."""
        while True:
            try:
                return self.invoke(op, function, *args, **kwargs)
            except InterruptedError:
                continue

    def directory(self, name: str, parent: int | None = None, *, follow: bool = False) -> Handle:
        """Open a directory; a symlink is ENOTDIR unless `follow` is set."""
        flags = DIRECTORY if follow else DIRECTORY | system.O_NOFOLLOW
        return Handle(self, self.call("open", system.open, name, flags, dir_fd=parent))

    def file(self, name: str, parent: int) -> Handle:
        """Open a file for reading; never waits for the writer of a FIFO, never follows a symlink."""
        return Handle(self, self.call("open", system.open, name, LOOK, dir_fd=parent))

    def create(self, name: str, parent: int) -> Handle:
        """Create a file, 0600, for reading and writing; FileExistsError if the name is taken."""
        return Handle(self, self.call("create", system.open, name, CREATE, 0o600, dir_fd=parent))

    def read(self, fd: int, limit: int) -> bytes:
        """The bytes of a file, at most `limit`."""
        chunk = self.call("read", system.read, fd, limit)
        if not chunk or len(chunk) >= limit:
            return chunk
        parts = [chunk]
        left = limit - len(chunk)
        while left and (chunk := self.call("read", system.read, fd, min(left, 1 << 20))):
            parts.append(chunk)
            left -= len(chunk)
        return b"".join(parts)

    def peek(
        self, name: str, parent: int, size: int, *, whole: bool = False
    ) -> tuple[system.stat_result, bytes | None]:
        """The stat of a name and the first `size` bytes of the file; None for the bytes if it is not a regular file.

        `whole`: nothing is read of a larger file. Fast for thousands of files: it changes nothing, so all of
        it is repeated after EINTR.
        """
        while True:
            try:
                fd = self.invoke("open", system.open, name, LOOK, dir_fd=parent)
                try:
                    info = self.invoke("fstat", system.fstat, fd)
                    if not is_file(info):
                        return info, None
                    if whole and info.st_size > size:
                        return info, b""
                    wanted = min(size, info.st_size)
                    data = self.invoke("read", system.read, fd, wanted)
                    return info, data if len(data) == wanted else data + self.read(fd, wanted - len(data))
                finally:
                    self.close(fd)
            except InterruptedError:
                continue

    def names(self, fd: int) -> list[str]:
        """The entries of a directory, unordered, without hidden names, which are ours."""
        return [name for name in self.call("list", system.listdir, fd) if name[0] != "."]

    def hidden_names(self, fd: int) -> list[str]:
        """Our own hidden entries of a directory, unordered."""
        return [name for name in self.call("list", system.listdir, fd) if name[0] == "."]

    def stat(self, name: str, parent: int) -> system.stat_result:
        """The stat of a name; symlinks are not followed."""
        return self.call("stat", system.stat, name, dir_fd=parent, follow_symlinks=False)

    def stat_or_none(self, name: str, parent: int) -> system.stat_result | None:
        """The stat of a name, or None if there is no such entry."""
        try:
            return self.stat(name, parent)
        except OSError as error:
            # An entry whose name is too long cannot exist.
            if error.errno not in (errno.ENOENT, errno.ENAMETOOLONG):
                raise
            return None

    def fstat(self, fd: int) -> system.stat_result:
        """The stat of an open descriptor."""
        return self.call("fstat", system.fstat, fd)

    def exists(self, name: str, parent: int) -> bool:
        """True if there is an entry of that name, of any type."""
        return self.stat_or_none(name, parent) is not None

    def has(self, name: str, parent: int) -> bool:
        """The same for an entry that is hardly ever there: False also where it cannot be looked at."""
        return self.call("stat", system.access, name, system.F_OK, dir_fd=parent, follow_symlinks=False)

    def close(self, fd: int) -> None:
        """Close a descriptor; an error is only noted, because it cannot undo what was synced.

        Why no repetition after EINTR: Linux has closed it by then, and the number may be another file's.
        """
        try:
            self.invoke("close", system.close, fd)
        except InterruptedError:
            return
        except OSError as error:
            self.notes.append(f"closing a file reported {reason(error)}; what was synced stays")

    def make_directory(self, name: str, parent: int | None) -> bool:
        """Create a directory, 0700, and make its name durable; False if it exists."""
        try:
            self.call("mkdir", system.mkdir, name, 0o700, dir_fd=parent)
        except FileExistsError:
            return False
        if parent is not None:
            self.sync_directory(parent)
        return True

    def write(self, fd: int, data: bytes) -> None:
        """Write all of `data` and make it durable; short writes are continued."""
        view = memoryview(data)
        while view:
            view = view[self.call("write", system.write, fd, view) :]
        self.sync_file(fd)
        if self.fstat(fd).st_size != len(data):
            raise OSError(errno.EIO, "the file size differs from what was written")

    def sync_file(self, fd: int) -> None:
        """Make a file's bytes durable.

        Why there is no retry after EIO: the kernel may have marked the pages clean, and a second fsync
        would then report success without writing them.
        """
        if sys.platform == "darwin":
            from agentmail.core.full_sync import full_sync

            if full_sync(self, fd):
                return
        self.call("fsync", system.fsync, fd)

    def sync_directory(self, fd: int) -> None:
        """Make the names in a directory durable, if the file system supports it."""
        try:
            self.call("fsyncdir", system.fsync, fd)
        except OSError as error:
            if error.errno not in NO_DIRECTORY_SYNC:
                raise

    def link(self, name: str, parent: int, new: str, new_parent: int) -> None:
        """Give a file a second name; FileExistsError if it is taken."""
        self.call(
            "link", system.link, name, new, src_dir_fd=parent, dst_dir_fd=new_parent, follow_symlinks=False
        )

    def rename(self, name: str, parent: int, new: str, new_parent: int) -> None:
        """Rename a file; an existing file of the new name is replaced."""
        self.call("rename", system.rename, name, new, src_dir_fd=parent, dst_dir_fd=new_parent)

    def unlink(self, name: str, parent: int) -> bool:
        """Remove a name; False if it did not exist."""
        try:
            self.call("unlink", system.unlink, name, dir_fd=parent)
        except FileNotFoundError:
            return False
        return True

    def discard(self, name: str, parent: int) -> None:
        """Remove a staging file of ours; on failure only note it: it is harmless and removed later."""
        try:
            self.unlink(name, parent)
        except OSError:
            self.notes.append(
                f"a staging file {name} was left behind; `agentmail doctor --fix` removes it when it is old enough"
            )

    def chmod(self, fd: int, mode: int) -> None:
        """Set the mode of an open descriptor."""
        self.call("fchmod", system.fchmod, fd, mode)


def is_file(info: system.stat_result) -> bool:
    """True for a regular file."""
    return system.S_ISREG(info.st_mode)


def reason(error: OSError) -> str:
    """A system error in words, with its file name if it has one."""
    text = system.strerror(error.errno) if error.errno else str(error)
    name = error.filename
    return f"{text} ({names.printable(name[:300])})" if name and isinstance(name, str) else text


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
