"""The one printer: bytes to standard output and standard error, whatever the locale, however short the writes.

stdout is the answer, stderr is diagnostics. Text is UTF-8; foreign text was made printable before.
"""

from __future__ import annotations

import io
import os

from agentmail.core.names import printable

CHUNK = 1 << 16


class ReportFailed(Exception):
    """The answer could not be written; `error` says why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class Output:
    """Where the answer and the diagnostics go: two descriptors."""

    def __init__(self, stdout: int = 1, stderr: int = 2) -> None:
        self.stdout = stdout
        self.stderr = stderr

    def is_terminal(self) -> bool:
        """True where a person sees the answer."""
        try:
            return os.isatty(self.stdout)
        except OSError:
            return False

    def is_discarded(self) -> bool:
        """True where the answer goes to the null device."""
        try:
            return os.fstat(self.stdout).st_rdev == os.stat(os.devnull).st_rdev
        except OSError:
            return False

    def diagnoses_to_terminal(self) -> bool:
        """True where a person sees the diagnostics."""
        try:
            return os.isatty(self.stderr)
        except OSError:
            return False

    def answer(self, lines: Iterable[str]) -> None:
        """Write lines to standard output as they come; ReportFailed where it does not take them."""
        self.chunks(f"{line}\n" for line in lines)

    def chunks(self, texts: Iterable[str]) -> None:
        """Write texts one after the other, as they come."""
        waiting: list[bytes] = []
        size = 0
        for text in texts:
            data = text.encode("utf-8", "backslashreplace")
            waiting.append(data)
            size += len(data)
            if size >= CHUNK:
                self._write(b"".join(waiting))
                waiting, size = [], 0
        self._write(b"".join(waiting))

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        self._write(data)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                try:
                    view = view[os.write(self.stdout, view) :]
                except BlockingIOError:
                    # Somebody set the pipe not to wait for its reader; half an answer would be worse.
                    from select import select

                    select([], [self.stdout], [])
        except OSError as error:
            raise ReportFailed(error) from error

    def say(self, text: str) -> None:
        """One line of diagnostics; a closed standard error is no reason to fail."""
        try:
            os.write(self.stderr, f"agentmail: {printable(text)}\n".encode())
        except OSError:
            return


class HelpText(io.TextIOBase):
    """Standard output for the help, which typer prints itself: the same descriptor, the same way to fail."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, output: Output) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Write at once; ReportFailed where it is not taken."""
        self._output.raw(text.encode(self.encoding, self.errors))
        return len(text)

    def isatty(self) -> bool:
        """True where a person sees it."""
        return self._output.is_terminal()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
