"""Makes directory entries that are not regular files, or lead out of the directory."""

from __future__ import annotations

import os
import socket
from pathlib import Path

LINKS = {
    "a symlink to a file outside": "/etc/passwd",
    "a symlink to nothing": "/nowhere",
    "a symlink to itself": "",
    "a symlink to a directory": "/",
}
ODD = [*LINKS, "a FIFO", "a directory", "a socket"]


def plant(kind: str, path: Path) -> None:
    """Put an entry of that kind there."""
    if kind in LINKS:
        path.symlink_to(LINKS[kind] or path.name)
    elif kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    else:
        # A socket's address is short; the way to it may not be.
        here = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)
