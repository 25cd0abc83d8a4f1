"""The system calls and constants of the module `os`, for the modules that every call and every hook load.

Why not `os`: importing it builds the abstract base classes of `collections`, which takes a sixth of the interpreter's
own start. Its system calls come from `posix`, a built-in module that is loaded already. Code that needs `os.path`,
such as a real path, imports `os` where it needs it.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from os import *  # noqa: F403
    from os import _exit, environ  # noqa: TID251
    from os.path import isabs as is_absolute
else:
    from posix import *  # noqa: F403
    from posix import _exit, environ

    def fsdecode(name: bytes) -> str:
        """The text of a name in the file system."""
        return name.decode(sys.getfilesystemencoding(), "surrogateescape")

    def fsencode(name: str) -> bytes:
        """The bytes of a name in the file system."""
        return name.encode(sys.getfilesystemencoding(), "surrogateescape")

    def is_absolute(path: str) -> bool:
        """True for a path from the root."""
        return path.startswith("/")


try:
    from _stat import *  # noqa: F403
except ImportError:  # an interpreter that has no built-in part of `stat`
    from stat import *  # noqa: F403

SEEK_SET, SEEK_CUR = 0, 1
NULL_DEVICE = "nul" if sys.platform == "win32" else "/dev/null"


def exit_at_once(code: int) -> NoReturn:
    """End the process without the interpreter's own clearing up."""
    _exit(code)


def variables() -> dict[str, str]:
    """The environment variables that the process was started with."""
    return {_text(name): _text(value) for name, value in environ.items()}


def _text(found: str | bytes) -> str:
    return found if isinstance(found, str) else fsdecode(found)


def join(folder: str, *names: str) -> str:
    """The path of something below a directory."""
    return "/".join((folder.rstrip("/"), *names))


def exists(path: str, *, follow: bool = True) -> bool:
    """True where something is at the path; without `follow`, a symlink to nothing counts too."""
    try:
        stat(path, follow_symlinks=follow)  # noqa: F405
    except (OSError, ValueError):
        return False
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn
