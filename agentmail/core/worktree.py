"""Git worktrees: the directory of the main checkout that corresponds to a directory in a worktree. Runs no git.

A linked worktree has a file `.git` that names its directory in the repository; the file `commondir` there names the
repository. Loaded only where a file `.git` was found.
"""

from __future__ import annotations

import os

from agentmail.core.fs import Handle, is_file

LIMIT = 4096
LEAD = b"gitdir:"


def main_checkout(disk: Disk, top: bytes) -> bytes | None:
    """The main checkout of the worktree at `top`; None for a submodule, a bare repository, or another file."""
    line = _line(disk, os.path.join(top, b".git"))
    if not line.startswith(LEAD):
        return None
    own = os.path.normpath(os.path.join(top, line.removeprefix(LEAD).strip()))
    common = _line(disk, os.path.join(own, b"commondir"))
    if common:
        repository = os.path.normpath(os.path.join(own, common))
        if not _is_linked(disk, own, top):
            return None
    else:
        # The repository is out of reach, as in a container that mounts the worktree alone; the path still tells.
        worktrees, _ = os.path.split(own)
        repository, name = os.path.split(worktrees)
        if name != b"worktrees" or os.path.lexists(repository):
            return None
    checkout, name = os.path.split(repository)
    return checkout if name == b".git" else None


def _is_linked(disk: Disk, own: bytes, top: bytes) -> bool:
    """Whether the repository knows the worktree at `top`.

    Why: anybody can write a file `.git` that names a repository; only the repository names its worktrees.
    """
    back = _line(disk, os.path.join(own, b"gitdir"))
    return os.path.realpath(os.path.join(own, back)) == os.path.realpath(os.path.join(top, b".git"))


def _line(disk: Disk, path: bytes) -> bytes:
    """The first line of a small file; empty if it cannot be read."""
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
        with Handle(disk, disk.call("open", os.open, path, flags)) as fd:
            data = disk.read(fd, LIMIT) if is_file(disk.fstat(fd)) else b""
    except (OSError, ValueError):
        return b""
    return data.split(b"\n")[0].strip()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
