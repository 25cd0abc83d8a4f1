"""One command in a process of its own, whose file system loses its power before one of the calls.

    python -m tests.faults.victim <mount> <bus> <cut before call N, 0: never> <left out> -- <words>

`left out` is `nothing`, `file-sync` or `directory-sync`: the negative controls. Only calls that can change
the disk are counted: before one that reads, a cut leaves what it leaves before the next one that changes.
Standard output gets the answer, then, when the command came to its end, `ended <code> <calls>`. A cut at
the call after the last one strikes when all that is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentmail.core.fs import Disk
from tests.faults.here import run_here
from tests.faults.volumes import cut

CHANGING = frozenset("create mkdir write fsync fsyncdir link rename rename_new unlink fchmod utime".split())
LEFT_OUT = {"nothing": "", "file-sync": "fsync", "directory-sync": "fsyncdir"}


class MortalDisk(Disk):
    """A disk that loses its power before call number `at`, and never does one of the syncs."""

    def __init__(self, mount: str, at: int, left_out: str) -> None:
        super().__init__()
        self.mount = os.open(mount, os.O_RDONLY)
        self.at = at
        self.left_out = LEFT_OUT[left_out]
        self.calls = 0

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op in CHANGING:
            self.before_change()
        return None if op == self.left_out else super().invoke(op, function, *args, **kwargs)

    def before_change(self) -> None:
        """Count, and die here when it is time."""
        self.calls += 1
        if self.calls == self.at:
            cut(self.mount)
            os._exit(9)


def main() -> None:
    mount, bus, at, left_out, _, *words = sys.argv[1:]
    disk = MortalDisk(mount, int(at), left_out)
    ended = run_here(tuple(words), Path(bus), sys.stdin.buffer.read(), disk)
    os.write(1, f"{ended.out}\nended {ended.code} {disk.calls}\n".encode())
    os.write(2, ended.err.encode())
    disk.before_change()


if __name__ == "__main__":
    main()
