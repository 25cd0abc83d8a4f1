"""Runs the program on a terminal of its own and gives back what a person would see."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios

from tests.support.cli import Cli


def on_terminal(run: Cli, *words: str, columns: int = 120, **variables: str | None) -> tuple[int, str]:
    """Exit code and all that reached the screen, stderr with it; lines end as in a file."""
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen(
            run.command(*words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=run.environment(**{"TERM": "xterm-256color", **variables}),
            cwd=run.home,
        )
    finally:
        os.close(theirs)
    seen = b""
    try:
        while chunk := _read(ours):
            seen += chunk
    finally:
        os.close(ours)
    return process.wait(timeout=30), seen.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the last process that had the terminal has ended."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""
