"""File systems in image files: made, mounted, cut off from power, mounted again, unmounted."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.power import cut

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000

#: What makes each file system, its smallest size in MiB, and the programs it takes.
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
    "xfs": ["mkfs.xfs", "-q", "-K"],
    "exfat": ["mkfs.exfat"],
}
MEGABYTES = {"ext4": 64, "xfs": 300, "exfat": 32}
JOURNALLED = ("ext4", "xfs")


class Volume:
    """One file system in an image file, mounted at `root`."""

    def __init__(self, kind: str, place: Path) -> None:
        self.kind = kind
        self.image = place / f"{kind}.img"
        self.root = place / kind
        self.root.mkdir()
        with self.image.open("wb") as image:
            image.truncate(MEGABYTES[kind] << 20)
        run(*MAKE[kind], str(self.image))
        self.mount()

    def mount(self) -> None:
        """Mount it; the journal is replayed."""
        if self.kind == "exfat":
            device = run("losetup", "--find", "--show", str(self.image)).strip()
            try:
                run("mount.exfat-fuse", device, str(self.root))
            finally:
                run("losetup", "--detach", device)  # takes effect when the last user is gone
        else:
            run("mount", "-t", self.kind, "-o", "loop", str(self.image), str(self.root))

    def unmount(self) -> None:
        """Unmount it, with all that is still dirty written out."""
        run("umount", str(self.root))

    def remount(self) -> None:
        """Everything on it goes to the disk, or, after a cut, is read back from there."""
        self.unmount()
        self.mount()

    def cut(self) -> None:
        """The power goes."""
        fd = os.open(self.root, os.O_RDONLY)
        try:
            cut(fd)
        finally:
            os.close(fd)


@contextmanager
def volume(kind: str, place: Path) -> Iterator[Volume]:
    """A volume for the length of a block; skipped, and counted, where this machine can't have one."""
    need_mounts(*MAKE[kind][:1], *(("mount.exfat-fuse", "losetup") if kind == "exfat" else ()))
    if kind != "exfat" and f"\t{kind}\n" not in Path("/proc/filesystems").read_text():
        pytest.skip(f"this kernel has no {kind}")
    made = Volume(kind, place)
    try:
        yield made
    finally:
        leave(made.root)
        made.image.unlink()


@contextmanager
def tmpfs(place: Path) -> Iterator[Path]:
    """A file system in memory."""
    need_mounts()
    root = place / "tmpfs"
    root.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(root))
    try:
        yield root
    finally:
        leave(root)


@contextmanager
def somewhere(kind: str, place: Path) -> Iterator[Path]:
    """A directory on a file system of that kind, for the length of a block; `here`: on the one under `place`."""
    if kind == "here":
        yield place
    elif kind == "tmpfs":
        with tmpfs(place) as root:
            yield root
    else:
        with volume(kind, place) as made:
            yield made.root


@contextmanager
def bound(path: Path) -> Iterator[None]:
    """A directory that is a mount of its own: links and renames across its edge give EXDEV."""
    need_mounts()
    run("mount", "--bind", str(path), str(path))
    try:
        yield
    finally:
        leave(path)


def leave(root: Path) -> None:
    """Unmount, even what is still in use."""
    if os.path.ismount(root) or subprocess.run(["mountpoint", "-q", str(root)]).returncode == 0:
        subprocess.run(["umount", str(root)], capture_output=True)
        if subprocess.run(["mountpoint", "-q", str(root)]).returncode == 0:
            run("umount", "--lazy", str(root))


def need_mounts(*programs: str) -> None:
    """Skip, counted and with the reason, where nothing can be mounted."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux, to mount")
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)} (tests/faults/install.sh)")
    if not set_apart():
        pytest.skip("may not mount here")


@functools.cache
def set_apart() -> bool:
    """Give this process a view of the mounts of its own, once: whatever ends it, its mounts end too."""
    libc = ctypes.CDLL(None, use_errno=True)
    private = ctypes.c_ulong(MS_REC | MS_PRIVATE)
    failed = libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, private, None)
    return not failed


def run(*command: str) -> str:
    """Run a program of the system; its answer, or what it said when it failed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout
