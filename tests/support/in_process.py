"""The command line in this process, on a disk that a test hands in."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from agentmail.cli.main import _dispatch, guarded
from agentmail.cli.mouth import Mouth
from agentmail.cli.output import Output
from agentmail.core.environment import Environment
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus, Clock
from tests.faults.judge import Ended


class Here(Mouth):
    """The mouth of one call, with its standard input and its disk given."""

    def __init__(
        self,
        bus: Path,
        stdin: bytes,
        output: Output,
        disk: Disk | None,
        clock: Clock | None,
        variables: dict[str, str],
    ) -> None:
        given = {"AGENT_MAIL_DIR": str(bus), "HOME": str(bus.parent / "home"), "PATH": os.defpath}
        super().__init__(Environment({**given, **variables}, "/"), output)
        self._bus = Bus(str(bus), disk, clock)
        self._stdin = stdin

    def body(self, path: str | None = None) -> bytes:
        return self._stdin


def run_here(
    words: tuple[str, ...],
    bus: Path,
    stdin: bytes = b"",
    disk: Disk | None = None,
    clock: Clock | None = None,
    variables: dict[str, str] | None = None,
) -> Ended:
    """Run one command to its exit code, with the home beside the bus; what is no Exception passes through, as a kill would."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        output = Output(out.fileno(), err.fileno())
        mouth = Here(bus, stdin, output, disk, clock, variables or {})
        before = os.umask(0o077)
        try:
            code = guarded(mouth, list(words), lambda: _dispatch(mouth, list(words)))
        finally:
            os.umask(before)
        return Ended(code, *(_text(file.fileno()) for file in (out, err)))


def _text(fd: int) -> str:
    return os.pread(fd, 1 << 20, 0).decode("utf-8", "surrogateescape")
