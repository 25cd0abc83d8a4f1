"""Reads the body of a message from standard input or from a file, with a bound."""

from __future__ import annotations

import os
import stat

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.fs import reason

#: One byte more than a body may have is enough to know that it is too large.
LIMIT = 8192 + 1


def read_body(path: str | None = None) -> bytes:
    """The body on standard input (empty at a terminal, without waiting) or in a file; bounded."""
    if path is not None and path != "-":
        return _file(path)
    try:
        return b"" if os.isatty(0) else _read(0)
    except OSError as error:
        raise Refused(
            f"standard input cannot be read: {reason(error)}",
            names.NOTHING_CHANGED,
            "give the body again",
        ) from error


def _file(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            # Opened without waiting, but read with: a command may still be writing into a pipe.
            os.set_blocking(fd, True)
            data = _read(fd)
            if not data and stat.S_ISFIFO(os.fstat(fd).st_mode):
                raise ValueError("it is a pipe, and nothing came out of it")
            return data
        finally:
            os.close(fd)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"the body file cannot be read: {why}", names.NOTHING_CHANGED, "give a file's path"
        ) from error


def _read(fd: int) -> bytes:
    data = b""
    while len(data) < LIMIT:
        try:
            chunk = os.read(fd, LIMIT - len(data))
        except BlockingIOError:
            # The pipe is set to non-blocking; its writer may still be writing.
            from select import select

            select([fd], [], [])
            continue
        if not chunk:
            break
        data += chunk
    return data
