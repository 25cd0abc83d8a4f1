"""Publish a staged file under its final name without ever replacing a file.

First a hard link: it cannot replace, and NFS, mergerfs and older ZFS all have it. Without hard links, the
kernel's rename that refuses to replace. Without both, a look and then a rename, which is safe among our
senders because each holds the claim on the name.
"""

from __future__ import annotations

import errno

from agentmail.core import system
from agentmail.core.fs import NO_HARD_LINKS, Disk
from agentmail.core.locks import try_lock

LINKED, MOVED, TAKEN = "linked", "moved", "taken"
NO_EXCLUSIVE_RENAME = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


class Unsynced(OSError):
    """The file is published, but syncing the directory failed."""


def publish_staged(disk: Disk, fd: int, staged: str, staged_in: int, final: str, final_in: int) -> str:
    """Give the staged file its final name: LINKED (the staging name stays too), MOVED, or TAKEN.

    `fd` is the open staged file. OSError if it could not be published; EXDEV if the two directories are on
    different mounts.
    """
    try:
        disk.link(staged, staged_in, final, final_in)
        return LINKED
    except OSError as error:
        outcome = _landed(disk, fd, final, final_in) or _outcome(error, NO_HARD_LINKS)
        if outcome:
            return outcome
    from agentmail.core.atomic_rename import rename_new  # ctypes is slow to import, and rarely needed

    try:
        rename_new(disk, staged, staged_in, final, final_in)
        return MOVED
    except OSError as error:
        outcome = _landed(disk, fd, final, final_in) or _outcome(error, NO_EXCLUSIVE_RENAME)
        if outcome:
            return outcome
    if disk.exists(final, final_in):
        return TAKEN
    try:
        disk.rename(staged, staged_in, final, final_in)
    except OSError:
        if not _landed(disk, fd, final, final_in):
            raise
    return MOVED


def _landed(disk: Disk, fd: int, final: str, final_in: int) -> str:
    """LINKED or MOVED if the call succeeded although it reported an error (NFS can lose a reply), else empty.

    Why after every error: a sender that is told "nothing was delivered" sends again.
    """
    ours = disk.fstat(fd)
    found = disk.stat_or_none(final, final_in)
    if found is None or (ours.st_dev, ours.st_ino) != (found.st_dev, found.st_ino):
        return ""
    return LINKED if ours.st_nlink > 1 else MOVED


def _outcome(error: OSError, unsupported: frozenset[int]) -> str:
    """TAKEN, or empty if the call is unsupported and the next one may work; any other error is raised."""
    if isinstance(error, FileExistsError):
        return TAKEN
    if error.errno not in unsupported:
        raise error
    return ""


def hidden_name() -> str:
    """A hidden staging name, which no reader lists."""
    return f".tmp-{system.getpid()}-{system.urandom(6).hex()}"


def publish_new(disk: Disk, data: bytes, final: str, folder: int) -> str:
    """Stage `data` in the folder itself and publish it there, durably: LINKED, MOVED or TAKEN.

    No staging name is left behind. Unsynced if it is published, but not known to be durable.
    """
    staged = hidden_name()
    handle = disk.create(staged, folder)
    outcome = ""
    try:
        with handle as fd:
            try_lock(disk, fd)
            disk.write(fd, data)
            outcome = publish_staged(disk, fd, staged, folder, final, folder)
            if outcome != TAKEN:
                sync_names(disk, folder)
        return outcome
    finally:
        if outcome != MOVED:
            disk.discard(staged, folder)


def sync_names(disk: Disk, folder: int) -> None:
    """Make the names in a folder durable; Unsynced if the disk does not confirm it."""
    try:
        disk.sync_directory(folder)
    except OSError as error:
        raise Unsynced(error.errno, error.strerror) from error
