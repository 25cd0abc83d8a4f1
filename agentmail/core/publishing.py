"""From a staged file to its final name, never replacing what stands there.

Link first: a link cannot replace, and it is the one call that NFS, mergerfs and older ZFS all have.
Where there are no hard links: the kernel's rename that refuses to replace. Where there is neither: look,
then rename, which is safe among senders because each holds the claim on the name.
"""

from __future__ import annotations

import errno
import os

from agentmail.core.fs import NO_HARD_LINKS, Disk
from agentmail.core.locks import try_lock

LINKED, MOVED, TAKEN = "linked", "moved", "taken"
NO_EXCLUSIVE_RENAME = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


class Unsynced(OSError):
    """It has its final name, but the disk did not confirm that; not to be taken for a failure before."""


def publish_staged(disk: Disk, fd: int, staged: str, staged_in: int, final: str, final_in: int) -> str:
    """Give the staged file its final name: LINKED (the staging name stays too), MOVED, or TAKEN.

    `fd` is the staged file, open. OSError where it could not be done; EXDEV where the two directories
    are on different mounts.
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
    """What the call did although it reported an error (NFS can lose a reply); empty where it did nothing.

    Why after every error: a sender that hears "nothing was delivered" sends again.
    """
    ours = disk.fstat(fd)
    found = disk.stat_or_none(final, final_in)
    if found is None or (ours.st_dev, ours.st_ino) != (found.st_dev, found.st_ino):
        return ""
    return LINKED if ours.st_nlink > 1 else MOVED


def _outcome(error: OSError, go_on: frozenset[int]) -> str:
    """TAKEN, or empty where the next way is worth trying; else the error is raised."""
    if isinstance(error, FileExistsError):
        return TAKEN
    if error.errno not in go_on:
        raise error
    return ""


def hidden_name() -> str:
    """A staging name beside the final one, which no reader lists."""
    return f".tmp-{os.getpid()}-{os.urandom(6).hex()}"


def publish_new(disk: Disk, data: bytes, final: str, folder: int) -> str:
    """Stage `data` in the folder itself and publish it there, durably: LINKED, MOVED or TAKEN.

    Nothing of the staging is left behind. Unsynced where it is published, but not known to be durable.
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
    """Make the names in a folder durable; Unsynced where the disk does not confirm it."""
    try:
        disk.sync_directory(folder)
    except OSError as error:
        raise Unsynced(error.errno, error.strerror) from error
