"""Reads a settings file, and refuses one that is not ours to change."""

from __future__ import annotations

import errno
import os

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import Handle, is_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk

LIMIT = 16 << 20


def read_settings(disk: Disk, path: str) -> bytes | None:
    """The bytes of a settings file, a symlink followed; None where there is none. Refused for other kinds of files."""
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
        handle = Handle(disk, disk.call("open", os.open, path, flags))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise
        if os.path.islink(path):
            raise _refused(path, "is a symlink to nothing", "fix the link") from None
        return None
    with handle as fd:
        info = disk.fstat(fd)
        if not is_file(info):
            raise _refused(path, "is not a regular file", "look at it with ls -l")
        if info.st_size > LIMIT:
            raise _refused(path, f"is larger than {LIMIT >> 20} MiB", "look at what is in it")
        return disk.read(fd, LIMIT + 1)


def refuse_foreign(path: str) -> None:
    """Refuse a file or directory of another user, one on a read-only file system, and a file made read-only."""
    target = os.path.realpath(path)
    while not os.path.lexists(target):
        target = os.path.dirname(target)
    info = os.stat(target)
    if info.st_uid != os.geteuid():
        fix = "work as that user, or have the entries added there"
        raise _refused(target, f"belongs to another user (uid {info.st_uid})", fix)
    if is_read_only(target):
        fix = "add or remove the entries where the file is made, or make it writable"
        raise _refused(target, "is on a read-only file system", fix)
    if not os.path.isdir(target) and not info.st_mode & 0o200:
        shown = names.printable(target)
        raise TryAgain(f"{shown} is read-only", names.NOTHING_CHANGED, "chmod u+w it, then try again")


def is_read_only(path: str) -> bool:
    """Is this on a file system that is mounted read-only?"""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _refused(path: str, what: str, fix: str) -> Refused:
    return Refused(f"{names.printable(path)} {what}", names.NOTHING_CHANGED, fix)
