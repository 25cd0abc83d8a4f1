"""Renames that replace nothing, if the kernel has them: renameat2 on Linux, renameatx_np on macOS.

Why a module of its own: ctypes is slow to import, and rarely needed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

RENAME_NOREPLACE = 1
RENAME_EXCL = 4
RENAME_EXCHANGE = RENAME_SWAP = 2


def rename_new(disk: Disk, name: str, parent: int, new: str, new_parent: int) -> None:
    """Rename to a free name; OSError(EINVAL or ENOSYS) if the kernel cannot guarantee that it is free."""
    disk.call("rename_new", _exclusively, name, parent, new, new_parent)


def exchange(disk: Disk, name: str, other: str, parent: int) -> None:
    """Exchange two names of a directory in one step; OSError(EINVAL or ENOSYS) if the kernel cannot."""
    disk.call("exchange", _exchange, name, other, parent)


def _exclusively(name: str, parent: int, new: str, new_parent: int) -> None:
    _rename(name, parent, new, new_parent, linux=RENAME_NOREPLACE, darwin=RENAME_EXCL)


def _exchange(name: str, other: str, parent: int) -> None:
    _rename(name, parent, other, parent, linux=RENAME_EXCHANGE, darwin=RENAME_SWAP)


def _rename(name: str, parent: int, new: str, new_parent: int, *, linux: int, darwin: int) -> None:
    function, flag = ("renameatx_np", darwin) if sys.platform == "darwin" else ("renameat2", linux)
    call = getattr(ctypes.CDLL(None, use_errno=True), function, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if call(parent, os.fsencode(name), new_parent, os.fsencode(new), ctypes.c_uint(flag)):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
