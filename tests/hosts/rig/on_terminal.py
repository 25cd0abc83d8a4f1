"""A program on a pseudo-terminal: typing, reading the screen, waiting for events."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from .conversation import Conversation
from .model import ScriptedModel
from .terminal import Terminal
from .waiting import TooLate, wait_for
from .watches import watches

T = TypeVar("T")
ROWS, COLUMNS = 50, 160
STOP_SECONDS = 10
READ_SECONDS = 0.2


class OnTerminal(Conversation):
    """A client on a terminal and its conversation with a model; it runs within `with`.

    A subclass says in `ready` how it knows that the client takes input.
    """

    process: subprocess.Popen[bytes]

    def __init__(
        self, model: ScriptedModel, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]
    ) -> None:
        super().__init__(model.requests)
        self.model = model
        self._command = command
        self._cwd = cwd
        self._env = env
        self._master, self._slave = pty.openpty()
        self.terminal = Terminal(ROWS, COLUMNS, self._write)
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        with ExitStack() as parts:
            self._start(parts)
            self.ready()
            self._parts = parts.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._parts.close()

    def ready(self) -> None:
        """Wait until the client takes input."""

    def screen(self) -> str:
        """What the screen shows now."""
        return self.terminal.text()

    def wait(self, look: Callable[[], T], what: str, seconds: float = 30) -> T:
        """The first true answer of `look`; when it does not come in time, the failure shows the screen."""

        def found() -> T:
            answer, ended = look(), self.process.poll()
            if not answer and ended is not None:
                raise TooLate(f"the client ended with {ended} before {what}")
            return answer

        try:
            return wait_for(found, what, seconds)
        except TooLate as late:
            told = f"the screen:\n{self.screen()}\nthe model was told:\n{self.injected()}"
            raise TooLate(f"{late}; {told}") from None

    def wait_seen(self, words: str, seconds: float = 30) -> None:
        """Wait until these words have reached the model."""
        self.wait(lambda: words in self.seen(), f"{words!r} to reach the model", seconds)

    def type(self, words: str) -> None:
        """Type one line into the prompt and wait for its echo; typed faster, Enter would count as pasted."""
        wanted = _squeezed(words)
        before = _squeezed(self.screen()).count(wanted)
        self._write(words.encode())
        self.wait(lambda: _squeezed(self.screen()).count(wanted) > before, f"the echo of {words!r}")

    def submit(self, words: str) -> None:
        """Type a line and press Enter; wait for nothing further."""
        self.type(words)
        self._write(b"\r")

    def watches(self, directory: Path) -> frozenset[str]:
        """The marks of the client's watches on this directory; none when it is not watched."""
        return watches(self.process.pid, directory)

    def wait_watching(self, directory: Path, seconds: float = 30) -> frozenset[str]:
        """Wait until the client watches this directory."""
        return self.wait(lambda: self.watches(directory), f"a watch on {directory}", seconds)

    def _start(self, parts: ExitStack) -> None:
        parts.enter_context(self.model)
        parts.callback(os.close, self._master)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        slave = self._slave
        try:
            self.process = subprocess.Popen(
                self._command,
                cwd=self._cwd,
                env=self._env,
                stdin=slave,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
            )
        finally:
            os.close(slave)
        reader = threading.Thread(target=self._read, daemon=True)
        reader.start()
        parts.callback(reader.join)
        parts.callback(self._closing.set)
        parts.callback(self._stop)

    def _stop(self) -> None:
        """End the client as a closing window would."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _write(self, data: bytes) -> None:
        os.write(self._master, data)

    def _read(self) -> None:
        # Why not simply read: a child left behind may hold the terminal open after the client has gone.
        while not self._closing.is_set():
            if not select.select([self._master], [], [], READ_SECONDS)[0]:
                continue
            try:
                self.terminal.feed(os.read(self._master, 65536))
            except OSError:  # Linux says EIO when the last program has let go of the terminal
                return


def _squeezed(words: str) -> str:
    """Without white space, as the client wraps and pads lines."""
    return re.sub(r"\s+", "", words)
