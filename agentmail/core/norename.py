"""Rename that never replaces, where the kernel offers it: renameat2 on Linux, renameatx_np on macOS.

Loaded only on file systems without hard links; ctypes is slow to import.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

RENAME_NOREPLACE = 1
RENAME_EXCL = 4


def rename_exclusive(name: str, parent: int, new: str, new_parent: int) -> None:
    """Rename `name` in `parent` to `new` in `new_parent`, which must be free; OSError like the call's."""
    function, flag = (
        ("renameatx_np", RENAME_EXCL) if sys.platform == "darwin" else ("renameat2", RENAME_NOREPLACE)
    )
    call = getattr(ctypes.CDLL(None, use_errno=True), function, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if call(parent, os.fsencode(name), new_parent, os.fsencode(new), ctypes.c_uint(flag)):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
