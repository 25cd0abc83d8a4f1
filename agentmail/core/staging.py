"""From a staged file to its final name, never replacing what stands there.

Link first: a link cannot replace, and it is the one call that NFS, mergerfs and older ZFS all have.
Where there are no hard links: the kernel's rename that refuses to replace. Where there is neither: look,
then rename, which is safe among senders because each holds the claim on the name.
"""

from __future__ import annotations

import errno
import os

from agentmail.core.fs import NO_HARD_LINKS, Disk

LINKED, MOVED, TAKEN = "linked", "moved", "taken"
NO_EXCLUSIVE_RENAME = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def publish(disk: Disk, fd: int, staged: str, staged_in: int, final: str, final_in: int) -> str:
    """Give the staged file its final name: LINKED (the staging name stays too), MOVED, or TAKEN.

    `fd` is the staged file, open. OSError where it could not be done; EXDEV where the two directories
    are on different mounts.
    """
    try:
        disk.link(staged, staged_in, final, final_in)
        return LINKED
    except FileExistsError:
        return LINKED if _same_file(disk, fd, final, final_in) else TAKEN
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
    try:
        disk.rename_new(staged, staged_in, final, final_in)
        return MOVED
    except FileExistsError:
        return TAKEN
    except OSError as error:
        if error.errno not in NO_EXCLUSIVE_RENAME:
            raise
    if disk.exists(final, final_in):
        return TAKEN
    disk.rename(staged, staged_in, final, final_in)
    return MOVED


def _same_file(disk: Disk, fd: int, final: str, final_in: int) -> bool:
    """True where our own link did succeed although the call said otherwise: NFS can lose a reply."""
    ours = disk.fstat(fd)
    found = disk.stat_or_none(final, final_in)
    return (
        found is not None
        and ours.st_nlink == 2
        and (ours.st_dev, ours.st_ino) == (found.st_dev, found.st_ino)
    )


def hidden_name() -> str:
    """A staging name beside the final one, which no reader lists."""
    return f".tmp-{os.getpid()}-{os.urandom(6).hex()}"


def place(disk: Disk, data: bytes, final: str, folder: int) -> str:
    """Stage `data` in the folder itself and publish it there: LINKED, MOVED or TAKEN; nothing is left behind."""
    staged = hidden_name()
    outcome = ""
    try:
        with disk.create(staged, folder) as fd:
            disk.try_lock(fd)
            disk.write(fd, data)
            outcome = publish(disk, fd, staged, folder, final, folder)
            if outcome == LINKED:
                disk.sync_directory(folder)
        return outcome
    finally:
        if outcome != MOVED:
            disk.discard(staged, folder)
