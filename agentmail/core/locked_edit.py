"""Edit a file that people and other programs edit too: under a lock, and read again before it is replaced.

The order that makes a crash safe: lock; read; edit; write a new file beside it; sync; read again; exchange the
two names; compare what came out; sync the directory. After a crash the file is complete, either the old one or the
new one.

Why the second read and the exchange: an editor takes no lock. If the file was saved in between, the edit is made
again on the saved version, which is never overwritten. Where the kernel cannot exchange two names, a rename
replaces the file, and a version that is saved between the second read and that rename is lost.
"""

from __future__ import annotations

import errno
import os
import stat

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain, Unconfirmed
from agentmail.core.fs import Disk, Handle, is_file, reason
from agentmail.core.locks import Locked, lock

ATTEMPTS = 50
#: EPERM comes from a sandbox that does not know the call; a real EPERM is reported by the plain rename too.
NO_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})


def edit(
    disk: Disk,
    path: str,
    change: Callable[[bytes | None], bytes | None],
    *,
    limit: int,
    mask: int = 0o7777,
    shared: bool = False,
) -> bool:
    """Replace the bytes of the file by `change(bytes)`; None stands for no file. False if nothing changes.

    `change` returns the same object for no change, and raises Refused for bytes that it cannot read. A
    symlink is kept and its target is replaced, if we own it. A new file gets 0600; the mode of an existing one
    is reduced to `mask`, never widened. `shared` is for a file of another program: no lock file is left
    beside it.
    """
    folder, name = os.path.split(_target(path))
    with (
        disk.directory(folder, follow=True) as parent,
        Locked(disk, parent) if shared else _lock(disk, name, parent),
    ):
        for _ in range(ATTEMPTS):
            found = _read(disk, name, parent, limit)
            _, data = found
            new = change(data)
            if new is data:
                _confirm(disk, parent, path)  # the process that changed it may have died before its sync
                return False
            if _put(disk, name, parent, found, new, limit, mask):
                _confirm(disk, parent, path)
                return True
    raise TryAgain(
        f"{path} keeps changing", names.NOTHING_CHANGED, "close the editor that saves it, then try again"
    )


def _put(disk: Disk, name: str, parent: int, found: Found, new: bytes | None, limit: int, mask: int) -> bool:
    """Replace or remove the file; False if it is no longer as it was found."""
    before, _ = found
    if new is None:
        unchanged = _same(found, _read(disk, name, parent, limit))
        if unchanged:
            _unlink(disk, name, parent)
        return unchanged
    staged = f".{name}.tmp-{os.urandom(6).hex()}"
    renamed = False
    try:
        with disk.create(staged, parent) as fd:
            disk.chmod(fd, stat.S_IMODE(before.st_mode) & mask if before else 0o600)
            disk.write(fd, new)
        if _same(found, _read(disk, name, parent, limit)):
            if before:
                return _exchange(disk, staged, name, parent, found, limit)
            _rename(disk, staged, name, parent)
            renamed = True
    finally:
        if not renamed:
            disk.discard(staged, parent)
    return renamed


def _exchange(disk: Disk, staged: str, name: str, parent: int, found: Found, limit: int) -> bool:
    """Exchange the staged file and the file; if the file had changed since it was read, undo that and return False.

    Why: the kernel has no "rename if unchanged", but it can exchange two names in one step. A version that was
    saved after the second read then has the staged name, and is put back.
    """
    from agentmail.core.atomic_rename import exchange  # ctypes is slow to import

    ours = disk.stat(staged, parent).st_ino
    try:
        exchange(disk, staged, name, parent)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in NO_EXCHANGE:
            _rename(disk, staged, name, parent)
            return True
        if disk.stat(name, parent).st_ino != ours:
            raise
    try:
        if _same(found, _read(disk, staged, parent, limit)):
            return True
    except OSError:
        exchange(disk, staged, name, parent)
        raise
    exchange(disk, staged, name, parent)
    if disk.stat(staged, parent).st_ino != ours:
        exchange(disk, staged, name, parent)  # saved again in between: the last version stays
    return False


def _rename(disk: Disk, staged: str, name: str, parent: int) -> None:
    """Rename; if the staging name is gone after an error, the rename succeeded: NFS can lose the reply."""
    try:
        disk.rename(staged, parent, name, parent)
    except OSError:
        if disk.exists(staged, parent):
            raise


def _unlink(disk: Disk, name: str, parent: int) -> None:
    """Remove; if the name is gone after an error, the removal succeeded, as above.

    Why no setting aside, as in removing.py: a kill in between would hide a settings file from its program.
    """
    try:
        disk.unlink(name, parent)
    except OSError:
        if disk.exists(name, parent):
            raise


def _confirm(disk: Disk, parent: int, path: str) -> None:
    try:
        disk.sync_directory(parent)
    except OSError as error:
        raise Unconfirmed(
            f"{path} is changed, but the disk did not confirm it: {reason(error)}",
            "a power cut may still bring the old file back",
            "look at it again",
        ) from error


def _target(path: str) -> str:
    try:
        info = os.lstat(path)
    except OSError:
        return path
    if not stat.S_ISLNK(info.st_mode):
        return path
    target = os.path.realpath(path)
    try:
        ours = os.stat(target).st_uid == os.geteuid()
    except OSError:
        ours = False
    if not ours:
        raise Refused(
            f"{path} is a symlink to a file that is not ours", names.NOTHING_CHANGED, "fix the link"
        )
    return target


def _lock(disk: Disk, name: str, parent: int) -> Handle:
    """The lock file is never removed or replaced: unlinking one lets two holders in."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    handle = Handle(
        disk, disk.call("create", os.open, f".{os.path.splitext(name)[0]}.lock", flags, 0o600, dir_fd=parent)
    )
    try:
        lock(disk, handle.fd)
    except BaseException:
        disk.close(handle.fd)
        raise
    return handle


def _read(disk: Disk, name: str, parent: int, limit: int) -> Found:
    try:
        handle = disk.file(name, parent)
    except FileNotFoundError:
        return None, None
    with handle as fd:
        info = disk.fstat(fd)
        if not is_file(info):
            raise OSError(errno.EINVAL, "not a regular file", name)
        return info, disk.read(fd, limit + 1)


def _same(found: Found, again: Found) -> bool:
    (before, data), (now, now_data) = found, again
    if before is None or now is None:
        return before is now
    return (before.st_ino, before.st_mtime_ns, data) == (now.st_ino, now.st_mtime_ns, now_data)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Found = tuple[os.stat_result | None, bytes | None]
