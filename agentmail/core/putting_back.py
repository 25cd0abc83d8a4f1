"""Give files that were set aside for removal their names back, and finish removals that were interrupted.

Why beside removing.py: an archiving that nothing disturbs does not load it.
"""

from __future__ import annotations

import errno

from agentmail.core import gz, names, system
from agentmail.core.fs import NO_HARD_LINKS, is_file
from agentmail.core.layout import ARCHIVE, INBOX, SENT, TMP
from agentmail.core.message_files import contents, find_archived, holds
from agentmail.core.publishing import NO_EXCLUSIVE_RENAME, TAKEN, publish_new
from agentmail.core.removing import ASIDE, RANDOM, set_aside, unlink

NAMES = 1000
FOLDERS = (INBOX, ARCHIVE, SENT, TMP)


class NotPutBack(OSError):
    """The file is safe under its private name, but could not get its own name back."""


def keep_late_bytes(disk: Disk, fd: int, name: str, parent: int) -> None:
    """Publish what an open file without a name holds, under its name or the next free one."""
    late = b""
    while chunk := disk.call("pread", system.pread, fd, 1 << 20, len(late)):
        late += chunk
    for free in _free_names(name):
        if publish_new(disk, late, free, parent) != TAKEN:
            return
    raise NotPutBack(errno.EEXIST, system.strerror(errno.EEXIST), name)


def put_back(disk: Disk, private: str, name: str, parent: int) -> str:
    """Give a file that was set aside its name back, or the next free one if the name is taken meanwhile.

    Returns the name; empty if nothing has the private name: a signal can arrive just after it was removed.
    """
    try:
        for free in _free_names(name):
            if _renamed(disk, private, free, parent):
                return free
    except OSError as error:
        if not disk.exists(private, parent):
            return ""
        raise NotPutBack(error.errno, error.strerror, private) from error
    raise NotPutBack(errno.EEXIST, system.strerror(errno.EEXIST), private)


def _free_names(name: str) -> Iterator[str]:
    """The name, then `<id>.dup2.md`, as archiving names a second message of an id."""
    yield name
    bare = names.without_suffix(name)
    for number in range(2, NAMES):
        yield f"{bare}.dup{number}{name[len(bare) :]}"


def _renamed(disk: Disk, private: str, name: str, parent: int) -> bool:
    """Rename without replacing a file; False if the name is taken."""
    try:
        disk.link(private, parent, name, parent)
    except OSError as error:
        if not _is_same(disk, private, name, parent):
            return _renamed_without_links(disk, private, name, parent, error)
    unlink(disk, private, parent)
    return True


def _renamed_without_links(disk: Disk, private: str, name: str, parent: int, error: OSError) -> bool:
    if isinstance(error, FileExistsError):
        return False
    if error.errno not in NO_HARD_LINKS:
        raise error
    from agentmail.core.atomic_rename import rename_new  # ctypes is slow to import, and rarely needed

    try:
        rename_new(disk, private, parent, name, parent)
        return True
    except OSError as second:
        if isinstance(second, FileExistsError):
            return False
        if not disk.exists(private, parent):
            return True  # done, and the reply was lost
        if second.errno not in NO_EXCLUSIVE_RENAME:
            raise
    if disk.exists(name, parent):
        return False
    return set_aside(disk, private, name, parent)


def _is_same(disk: Disk, one: str, other: str, parent: int) -> bool:
    first, second = disk.stat_or_none(one, parent), disk.stat_or_none(other, parent)
    return bool(
        first and second and (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino) and is_file(first)
    )


def interrupted(box: Mailbox, folders: tuple[str, ...] = FOLDERS) -> list[tuple[str, str]]:
    """Folder and private name of each file whose removal was interrupted."""
    found = []
    for folder in folders:
        parent = box.existing(folder)
        if parent is not None:
            hidden = sorted(box.disk.hidden_names(parent))
            found += [(folder, name) for name in hidden if name.startswith(ASIDE)]
    return found


def settle(box: Mailbox, folders: tuple[str, ...] = FOLDERS) -> list[str]:
    """Finish interrupted removals; returns the paths that have their names again. The caller holds the lock.

    A file goes only if the mailbox has the same message under its own id; every other one is put back.
    """
    back = []
    for folder, private in interrupted(box, folders):
        parent, name = box.folder(folder), private[len(ASIDE) + RANDOM + 1 :]
        if not name:
            continue
        if _is_elsewhere(box, folder, private, name):
            unlink(box.disk, private, parent)
        elif named := put_back(box.disk, private, name, parent):
            back.append(f"{folder}/{named}")
        box.disk.sync_directory(parent)
    return back


def _is_elsewhere(box: Mailbox, folder: str, private: str, name: str) -> bool:
    parent, id = box.folder(folder), names.without_suffix(name)
    info, packed = box.disk.peek(private, parent, gz.LIMIT, whole=True)
    if not is_file(info) or packed is None or info.st_size > gz.LIMIT:
        return False
    try:
        data = contents(private, packed)
    except gz.Damaged:
        return False
    if folder in (SENT, TMP):
        return holds(box, folder, name, data)
    archived = find_archived(box, id)
    return holds(box, INBOX, f"{id}.md", data) or (
        archived is not None and holds(box, ARCHIVE, archived, data)
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Mailbox
