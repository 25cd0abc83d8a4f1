"""Where temporary files may be in memory, and what the everyday suite does with that place.

Why: on a disk with many files, making a directory costs a hundred times as much as in memory, and the suite makes
tens of thousands. `./dev check` uses the disk, so each test is run in both kinds of place.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
#: A container may have 64 MB there; two workers need less than half of this.
ENOUGH = 1 << 30


def in_memory() -> Path | None:
    """A directory in memory that holds what a test writes and runs its programs, if the system has one."""
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return None
    fits = found.f_bavail * found.f_frsize >= ENOUGH and not found.f_flag & os.ST_NOEXEC
    return MEMORY if fits and os.access(MEMORY, os.W_OK | os.X_OK) else None


def use_memory() -> None:
    """Temporary files of this process and of all that it starts are in memory, unless TMPDIR names a place."""
    place = in_memory()
    if place and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = tempfile.tempdir = str(place)
