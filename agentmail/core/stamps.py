"""Marker files and timestamps: hidden files and links of ours, and their removal.

Why beside fs.py: these system calls are rare, and a plain call of the command does not load them.
"""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.fs import Handle


def touch(disk: Disk, name: str, parent: int) -> None:
    """Create a hidden marker file of ours, or set its time to now."""
    flags = system.O_WRONLY | system.O_CREAT | system.O_NOFOLLOW | system.O_CLOEXEC | system.O_NONBLOCK
    with Handle(disk, disk.call("create", system.open, name, flags, 0o600, dir_fd=parent)) as fd:
        disk.call("utime", system.utime, fd)


def renew(disk: Disk, name: str, parent: int) -> None:
    """Set the time of an entry to now; symlinks are not followed."""
    disk.call("utime", system.utime, name, dir_fd=parent, follow_symlinks=False)


def set_time(disk: Disk, name: str, parent: int, time: int) -> None:
    """Set the time of an entry, in nanoseconds; symlinks are not followed."""
    disk.call("utime", system.utime, name, ns=(time, time), dir_fd=parent, follow_symlinks=False)


def stamp(disk: Disk, name: str, parent: int, time: int) -> None:
    """Create an empty file of ours with that modification time, in nanoseconds."""
    with disk.create(name, parent) as fd:
        disk.call("utime", system.utime, fd, ns=(time, time))


def symlink(disk: Disk, target: str, name: str, parent: int) -> None:
    """Create a symbolic link."""
    disk.call("symlink", system.symlink, target, name, dir_fd=parent)


def remove_directory(disk: Disk, name: str, parent: int) -> None:
    """Remove an empty directory."""
    disk.call("rmdir", system.rmdir, name, dir_fd=parent)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
