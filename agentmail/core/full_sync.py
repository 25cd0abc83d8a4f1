"""Flush a file through the cache of the drive, on macOS: its fsync stops at that cache. Loaded there only."""

from __future__ import annotations

import errno
import fcntl

NO_FULL_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY})


def full_sync(disk: Disk, fd: int) -> bool:
    """Sync by F_FULLFSYNC; False if the file system does not support it."""
    try:
        disk.call("fsync", fcntl.fcntl, fd, getattr(fcntl, "F_FULLFSYNC"))  # noqa: B009 - only macOS has it
    except OSError as error:
        if error.errno not in NO_FULL_SYNC:
            raise
        return False
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
