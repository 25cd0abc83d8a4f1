"""Which directories a process watches, as the kernel tells it (Linux only)."""

from __future__ import annotations

import os
from pathlib import Path

AVAILABLE = os.path.isdir("/proc/self/fdinfo")


def watches(pid: int, directory: Path) -> frozenset[str]:
    """The process's watches on this directory; a watch that was dropped and made again has another mark."""
    inode = f" ino:{directory.stat().st_ino:x} "
    marks = set()
    for number in os.listdir(f"/proc/{pid}/fdinfo"):
        for line in _lines(f"/proc/{pid}/fdinfo/{number}"):
            if line.startswith("inotify ") and inode in line:
                marks.add(f"{number}/{line.split()[1]}")
    return frozenset(marks)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as lines:
            return lines.readlines()
    except OSError:
        return []  # closed since it was listed
