"""Marks: hidden files and links of ours that say something by being there, or by their time; and taking them away.

The rare system calls, beside the everyday ones in fs.py: a plain call of the command loads none of them.
"""

from __future__ import annotations

import os

from agentmail.core.fs import Handle


def touch(disk: Disk, name: str, parent: int) -> None:
    """Make a hidden stamp of ours, or give it the present time."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with Handle(disk, disk.call("create", os.open, name, flags, 0o600, dir_fd=parent)) as fd:
        disk.call("utime", os.utime, fd)


def renew(disk: Disk, name: str, parent: int) -> None:
    """Give what stands under a name the present time, not following a symlink."""
    disk.call("utime", os.utime, name, dir_fd=parent, follow_symlinks=False)


def stamp(disk: Disk, name: str, parent: int, time: int) -> None:
    """Make an empty file of ours whose modification time (nanoseconds) is what it says."""
    with disk.create(name, parent) as fd:
        disk.call("utime", os.utime, fd, ns=(time, time))


def symlink(disk: Disk, target: str, name: str, parent: int) -> None:
    """Make a symbolic link."""
    disk.call("symlink", os.symlink, target, name, dir_fd=parent)


def remove_directory(disk: Disk, name: str, parent: int) -> None:
    """Remove an empty directory."""
    disk.call("rmdir", os.rmdir, name, dir_fd=parent)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
