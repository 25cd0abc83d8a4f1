"""Remove a file only if its name still holds what was looked at.

No system call removes a name on a condition. So the file is first set aside: renamed to a private hidden name beside
it, which takes along whatever has the name at that moment. If that is what was looked at, it is removed; otherwise it
gets its name back, replacing nothing. A process that dies in between leaves the private name, and `settle` of
putting_back.py finishes its work: until then no reader lists that file.
"""

from __future__ import annotations

import errno

from agentmail.core import system
from agentmail.core.message_files import NOT_A_FILE

ASIDE = ".removing-"
#: The length of the random part of a private name.
RANDOM = 8
REMOVED, GONE, CHANGED = "removed", "gone", "changed"


def remove_same(
    disk: Disk, name: str, parent: int, was: system.stat_result, data: bytes | None = None
) -> str:
    """Remove the name if it is the file of that stat and, where given, of those bytes: REMOVED, GONE or CHANGED.

    CHANGED: it is another file or has other bytes, and was put back. Also after an OSError the file is there.
    """
    private = f"{ASIDE}{system.urandom(RANDOM // 2).hex()}-{name}"
    removed = False
    try:
        if not set_aside(disk, name, private, parent):
            return GONE
        if data is None:
            removed = _unchanged(was, disk.stat(private, parent)) and unlink(disk, private, parent)
            return REMOVED if removed else CHANGED
        with disk.file(private, parent) as fd:
            # Not beyond its length: the last look below sees a file that has grown.
            if not _unchanged(was, disk.fstat(fd)) or disk.read(fd, len(data)) != data:
                return CHANGED
            removed = unlink(disk, private, parent)
            # A program that had the file open may have written until now.
            if _unchanged(was, disk.fstat(fd)):
                return REMOVED
            from agentmail.core.putting_back import keep_late_bytes

            keep_late_bytes(disk, fd, name, parent)
            return CHANGED
    except OSError as error:
        if removed or error.errno not in NOT_A_FILE:
            raise
        return CHANGED
    finally:
        if not removed:
            from agentmail.core.putting_back import put_back

            put_back(disk, private, name, parent)


def set_aside(disk: Disk, name: str, private: str, parent: int) -> bool:
    """Rename to the private name; False if the name is gone. NFS can lose the reply of a rename that was done."""
    try:
        disk.rename(name, parent, private, parent)
    except OSError as error:
        if disk.exists(private, parent):
            return True
        if error.errno == errno.ENOENT:
            return False
        raise
    return True


def unlink(disk: Disk, private: str, parent: int) -> bool:
    """Remove the private name; True also if an error reports what was done."""
    try:
        disk.unlink(private, parent)
    except OSError:
        if disk.exists(private, parent):
            raise
    return True


def _unchanged(was: system.stat_result, now: system.stat_result) -> bool:
    return (was.st_dev, was.st_ino, was.st_size, was.st_mtime_ns) == (
        now.st_dev,
        now.st_ino,
        now.st_size,
        now.st_mtime_ns,
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
