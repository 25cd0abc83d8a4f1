"""A tree of files as a value: two are equal where names, types, modes, bytes and link targets are."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path


def tree(path: Path) -> dict[str, str]:
    """Everything below `path` and itself: type and mode, and what is in it. A dict, so that pytest shows
    what differs; nothing is opened but regular files, and times are left out."""
    found = {".": _entry(path)}
    for directory, folders, files in os.walk(path):
        for name in (*folders, *files):
            entry = Path(directory, name)
            found[os.fsdecode(os.fsencode(str(entry.relative_to(path))))] = _entry(entry)
    return dict(sorted(found.items()))


def _entry(path: Path) -> str:
    try:
        info = path.lstat()
    except FileNotFoundError:
        return "nothing"
    what = stat.filemode(info.st_mode)
    if stat.S_ISLNK(info.st_mode):
        return f"{what} -> {os.readlink(path)}"
    if stat.S_ISREG(info.st_mode):
        return f"{what} {info.st_size} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return what
