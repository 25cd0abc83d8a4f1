"""The power cut: the shutdown request of ext4 and xfs, with the flag that leaves the journal unflushed.

What was not synced is gone, and the next mount replays the journal, as after a real cut.
"""

from __future__ import annotations

import array
import fcntl

SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


def cut(fd: int) -> None:
    """Cut the power of the file system that a descriptor is open on."""
    fcntl.ioctl(fd, SHUTDOWN, array.array("I", [NO_LOG_FLUSH]), True)
