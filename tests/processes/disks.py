"""Mounts and file-system flags for one test, undone at its end; a test is skipped where they are not possible."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes.within import need, need_root

PAGE = os.sysconf("SC_PAGE_SIZE")


def command(*words: str | Path) -> None:
    """Run a command of the system; skip, with what it said, where the machine does not allow it."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{words[0]} is not possible here: {done.stderr.strip()}")


@contextmanager
def mounted(place: Path, *options: str | Path) -> Iterator[Path]:
    """Something mounted at a directory."""
    need_root()
    need("mount", "umount")
    command("mount", *options, place)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def immutable(place: Path) -> Iterator[Path]:
    """A directory in which nothing can be made or removed, not even by root."""
    need_root()
    need("chattr")
    command("chattr", "+i", place)
    try:
        yield place
    finally:
        subprocess.run(["chattr", "-i", str(place)], check=True)


class SmallDisk:
    """A bus directory on a tmpfs, where pages and inodes can be given one by one."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def leave(self, pages: int | None = None, inodes: int | None = None) -> None:
        """Make room for so many more pages and inodes than are in use; None for plenty."""
        info = os.statvfs(self.place)
        size = (info.f_blocks - info.f_bfree) * PAGE + (1000 if pages is None else pages) * PAGE
        count = info.f_files - info.f_ffree + (1000 if inodes is None else inodes)
        command("mount", "-o", f"remount,size={size},nr_inodes={count}", self.place)

    def read_only(self) -> None:
        """Let nothing be written any more."""
        command("mount", "-o", "remount,ro", self.place)


@contextmanager
def small_disk(place: Path) -> Iterator[SmallDisk]:
    """A small disk mounted at a directory."""
    with mounted(place, "-t", "tmpfs", "-o", "size=4m,nr_inodes=2000,mode=700", "none"):
        yield SmallDisk(place)
