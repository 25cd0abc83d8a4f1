"""Runs the command line in this process, on a bus, a disk and a clock that a test hands in.

Why here alone: the tests reach into the command line at this one place, so that a change of its entry is one edit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from agentmail.cli.context import Context, Output
from agentmail.cli.main import dispatch, exit_code_of
from agentmail.core.environment import Environment
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus, Clock
from tests.support.cli import Ran


class GivenBody(Context):
    """The context of one call whose standard input is given as bytes; None leaves it to the process."""

    stdin: bytes | None = None

    def body(self, path: str | None = None, *, needed: bool = True) -> bytes:
        return super().body(path, needed=needed) if self.stdin is None else self.stdin

    def refuse_text(self, command: str) -> None:
        """The bytes stand for what a command reads; one that reads nothing was given none."""


def run_with(
    words: tuple[str, ...],
    environment: Environment,
    bus: Bus | None = None,
    stdin: bytes | None = None,
    dispatch: Callable[[Context, list[str]], int] = dispatch,
) -> Ran:
    """Run one command to its exit code. A BaseException, such as a simulated crash, passes through."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        context = GivenBody(environment, Output(out.fileno(), err.fileno()))
        context.stdin = stdin
        if bus is not None:
            context._bus = bus
        before = os.umask(0o077)
        try:
            code = exit_code_of(context, list(words), lambda: dispatch(context, list(words)))
        finally:
            os.umask(before)
        return Ran(code, *(os.pread(file.fileno(), 1 << 22, 0) for file in (out, err)))


def run_in_process(
    words: tuple[str, ...],
    bus: Path,
    stdin: bytes = b"",
    disk: Disk | None = None,
    clock: Clock | None = None,
    variables: dict[str, str] | None = None,
    dispatch: Callable[[Context, list[str]], int] = dispatch,
    directory: str = "/",
) -> Ran:
    """Run one command on a bus, with a home beside it and nothing else of the surroundings."""
    given = {"AGENT_MAIL_DIR": str(bus), "HOME": str(bus.parent / "home"), "PATH": os.defpath}
    environment = Environment({**given, **(variables or {})}, directory)
    return run_with(words, environment, Bus(str(bus), disk, clock), stdin, dispatch)
