"""Locks: advisory, of an open file or directory; the kernel frees them when the process ends, however it ends.

Loaded by who changes something, before it begins: looking at mail takes no lock, and a process that has no
descriptor left could not load `fcntl` in the midst of its work.
"""

from __future__ import annotations

import errno
import time

from agentmail.core.fs import reason

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no fcntl
    fcntl = None  # type: ignore[assignment]

NO_LOCKS = frozenset(
    {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY, errno.ENOLCK, errno.ENOSYS}
)


class Locked:
    """The exclusive lock of an open file or directory for the length of a `with` block."""

    __slots__ = ("disk", "fd")

    def __init__(self, disk: Disk, fd: int) -> None:
        self.disk = disk
        self.fd = fd

    def __enter__(self) -> None:
        lock(self.disk, self.fd)

    def __exit__(self, *_: object) -> None:
        unlock(self.disk, self.fd)


def try_lock(disk: Disk, fd: int) -> bool:
    """Take the exclusive lock of an open file; False when another holds it."""
    try:
        disk.call("flock", fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        disk.notes.append("this file system has no locks; two writers at once may see each other's work late")
    return True


def unlock(disk: Disk, fd: int) -> None:
    """Give the lock of an open file back before it is closed; the end of the process does so anyhow."""
    try:
        disk.call("flock", fcntl.flock, fd, fcntl.LOCK_UN)
    except OSError as error:
        disk.notes.append(f"giving a lock back reported {reason(error)}")


def lock(disk: Disk, fd: int, seconds: float | None = None) -> None:
    """Take the exclusive lock of an open file, waiting at most `seconds`, or as the disk has it; then TimeoutError."""
    deadline = time.monotonic() + (disk.patience if seconds is None else seconds)
    while not try_lock(disk, fd):
        if time.monotonic() > deadline:
            raise TimeoutError("another process holds the lock")
        time.sleep(0.005)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
