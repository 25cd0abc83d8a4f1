"""Move a mailbox to another name, or join it to the mailbox that its identity has there.

After a pull a former name can have folders again: git leaves empty ones, and mail that was sent to it before this
machine knew. Nothing is replaced: what the other mailbox has under the same name stays where it is.
"""

from __future__ import annotations

import errno
import os

from agentmail.core import stamps
from agentmail.core.confirmed_time import CONFIRMED
from agentmail.core.fs import Handle
from agentmail.core.layout import TMP
from agentmail.core.message_files import NOT_A_FILE
from agentmail.core.publishing import NO_EXCLUSIVE_RENAME
from agentmail.core.removing import remove_same
from agentmail.core.retention import STAMP

#: Records are append-only: their lines can be joined.
RECORD, RECORD_MAX = ".jsonl", 64 << 20
#: A mailbox, its folders, the machines in `sessions`.
DEPTH = 3
#: The errors of a directory that has entries, and of an entry that is none.
STAYS = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.ELOOP})


def move_new(disk: Disk, name: str, parent: int, new: str, new_parent: int) -> None:
    """Move a directory, or an entry of one, to a free name; FileExistsError if it is taken."""
    from agentmail.core.atomic_rename import rename_new  # ctypes is slow to import

    try:
        rename_new(disk, name, parent, new, new_parent)
    except OSError as error:
        if error.errno not in NO_EXCLUSIVE_RENAME:
            raise
        if disk.exists(new, new_parent):
            raise FileExistsError(errno.EEXIST, "File exists", new) from None
        disk.rename(name, parent, new, new_parent)


def join(disk: Disk, name: str, parent: int, new: str, new_parent: int) -> None:
    """Move every entry of a mailbox to another one, if that has none of its name; remove the directories that are empty then."""
    with disk.directory(name, parent) as old, disk.directory(new, new_parent) as box:
        for folder in disk.names(old):
            _join(disk, folder, old, box, DEPTH - 1)
        for stamp in (STAMP, CONFIRMED):
            disk.unlink(stamp, old)
        disk.sync_directory(box)
    _remove_empty(disk, name, parent)


def _join(disk: Disk, name: str, old: int, new: int, depth: int) -> None:
    try:
        move_new(disk, name, old, name, new)
        return
    except FileExistsError:
        if name.endswith(RECORD):
            _join_record(disk, name, old, new)
        if not depth:
            return
    try:
        with disk.directory(name, old) as source, disk.directory(name, new) as target:
            # What is in `tmp` belongs to a writer that may live.
            for entry in disk.names(source) if name != TMP else ():
                _join(disk, entry, source, target, depth - 1)
            disk.sync_directory(target)
            disk.sync_directory(source)
    except NotADirectoryError:
        return  # not ours: a file or a link in the place of a folder
    _remove_empty(disk, name, old)


def _join_record(disk: Disk, name: str, old: int, new: int) -> None:
    """Add the lines that a record lacks, as git adds those of two machines; facts have no order."""
    try:
        info, data = disk.peek(name, old, RECORD_MAX, whole=True)
        there, kept = disk.peek(name, new, RECORD_MAX, whole=True)
    except OSError as error:
        if error.errno not in NOT_A_FILE:
            raise
        return
    if data is None or kept is None or (len(data), len(kept)) != (info.st_size, there.st_size):
        return
    lines = set(kept.split(b"\n"))
    missing = [line for line in data.split(b"\n") if line not in lines]
    if missing:
        flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        with Handle(disk, disk.call("open", os.open, name, flags, dir_fd=new)) as fd:
            view = memoryview(b"".join(b"\n" + line for line in missing))
            while view:
                view = view[disk.call("write", os.write, fd, view) :]
            disk.sync_file(fd)
    remove_same(disk, name, old, info, data)


def _remove_empty(disk: Disk, name: str, parent: int) -> None:
    try:
        stamps.remove_directory(disk, name, parent)
    except OSError as error:
        if error.errno not in STAYS:
            raise


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
