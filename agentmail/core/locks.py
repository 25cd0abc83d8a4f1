"""Advisory locks of an open file or directory; the kernel releases them when the process ends.

Imported only by code that writes, and before it begins: reading mail takes no lock, and a process without
free descriptors could not import `fcntl` later.
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
    """The exclusive lock of an open file or directory during a `with` block."""

    __slots__ = ("disk", "fd")

    def __init__(self, disk: Disk, fd: int) -> None:
        self.disk = disk
        self.fd = fd

    def __enter__(self) -> None:
        lock(self.disk, self.fd)

    def __exit__(self, *_: object) -> None:
        unlock(self.disk, self.fd)


def try_lock(disk: Disk, fd: int) -> bool:
    """Take the exclusive lock of an open file; False if another process holds it."""
    try:
        disk.call("flock", fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        disk.notes.append(
            "this file system has no locks; two writers at once may see each other's changes late"
        )
    return True


def unlock(disk: Disk, fd: int) -> None:
    """Release the lock of an open file before it is closed."""
    try:
        disk.call("flock", fcntl.flock, fd, fcntl.LOCK_UN)
    except OSError as error:
        disk.notes.append(f"releasing a lock reported {reason(error)}")


def lock(disk: Disk, fd: int, seconds: float | None = None) -> None:
    """Take the exclusive lock of an open file; TimeoutError after `seconds`, or after the patience of the disk."""
    deadline = time.monotonic() + (disk.patience if seconds is None else seconds)
    while not try_lock(disk, fd):
        if time.monotonic() > deadline:
            raise TimeoutError("another process holds the lock")
        time.sleep(0.005)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
