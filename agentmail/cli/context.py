"""What a command has at hand: the bus, the caller, standard input, and how to answer."""

from __future__ import annotations

import os
import stat

from agentmail.cli.output import ReportFailed
from agentmail.core import names
from agentmail.core.errors import Refused, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call

#: One byte more than a body may have is enough to know that it is too large.
BODY_READ = 8192 + 1
#: A walk through this many messages or more shows a bar.
LONG = 5000
#: How many that could not be read are named one by one.
UNREADABLE_SHOWN = 3


class Context:
    """One call of the command line."""

    def __init__(self, environment: Environment, output: Output, *, json: bool = False) -> None:
        self.environment = environment
        self.output = output
        self.json = json
        self._bus: Bus | None = None

    @property
    def bus(self) -> Bus:
        """The bus of this call."""
        if self._bus is None:
            self._bus = Bus(self.environment.bus_path())
        return self._bus

    def call(self, session: str | None = None, acts_as: str = "") -> Call:
        """The caller, as verbs take it."""
        return Call(
            lambda: self.bus,
            self.environment,
            session=session,
            acts_as=acts_as,
            detailed=self.json,
            progress=self.progress,
        )

    def seen(self, recorder: Recorder | None) -> Recorder | None:
        """The recorder, where somebody can see the answer: what goes to the null device was shown to nobody."""
        if recorder is None or not self.output.is_discarded():
            return recorder
        self.output.say("note: nothing is recorded: standard output is the null device")
        return None

    def progress(self, listing: Listing) -> Listing:
        """The listing; a long one shows a bar while it is walked, where a person watches at a terminal."""
        found = list(listing)
        if len(found) < LONG or not self.output.diagnoses_to_terminal():
            return found
        from agentmail.cli.tables import with_bar

        return with_bar(found)

    def body(self, path: str | None = None) -> bytes:
        """The body on standard input (nothing on a terminal, without waiting) or in a file; bounded."""
        if path is not None and path != "-":
            return _file(path)
        try:
            if os.isatty(0):
                return b""
            return _read(0)
        except OSError as error:
            raise Refused(
                f"standard input cannot be read: {reason(error)}",
                names.NOTHING_CHANGED,
                "give the body again",
            ) from error

    def answer(
        self,
        command: str,
        outcome: Mapping[str, object],
        lines: Callable[[], Iterable[str]],
        table: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        """Print an outcome: as JSON, as a table for a person, or as compact text."""
        if self.json:
            self.output.chunks(as_json(command, outcome))
        elif table is not None and self.output.is_terminal():
            self.output.answer(table())
        else:
            self.output.answer(lines())

    def report(
        self,
        command: str,
        outcome: Mapping[str, object],
        lines: Callable[[], Iterable[str]],
    ) -> None:
        """Print the outcome of something that is done already: a report that fails does not undo it."""
        self.warn(outcome)
        try:
            self.answer(command, outcome, lines)
        except ReportFailed as failed:
            raise Unconfirmed(
                f"{command} is done ({'; '.join(lines())}), but the report could not be written: {reason(failed.error)}",
                "do not repeat it",
                "look with `agentmail check` or `agentmail read`",
            ) from failed

    def say_failures(self, messages: Iterable[Mapping[str, object]]) -> list[int]:
        """Say of several what failed; returns their exit codes."""
        codes = []
        for message in messages:
            code = message.get("exit", 0)
            codes.append(code if isinstance(code, int) else 0)
            if "error" in message:
                self.output.say(str(message["error"]))
        return codes

    def say_unreadable(self, outcome: Mapping[str, object]) -> None:
        """Say, after an answer, what could not be read and is therefore not in it."""
        found = outcome.get("unreadable")
        lines = found if isinstance(found, list) else []
        for line in lines[:UNREADABLE_SHOWN]:
            self.output.say(f"note: not in this answer: {line}")
        if len(lines) > UNREADABLE_SHOWN:
            self.output.say(f"note: and {len(lines) - UNREADABLE_SHOWN} more; see `agentmail doctor`")

    def warn(self, outcome: Mapping[str, object]) -> None:
        """Say the outcome's warnings, and what the disk noted."""
        warnings = outcome.get("warnings")
        for warning in warnings if isinstance(warnings, list) else ():
            self.output.say(f"warning: {warning}")
        if self._bus is not None:
            for note in self._bus.disk.notes:
                self.output.say(f"note: {note}")
            self._bus.disk.notes.clear()


def as_json(command: str, outcome: Mapping[str, object]) -> Iterator[str]:
    """One line of ASCII JSON under the command's schema name, in pieces: `messages` may be an iterator."""
    from agentmail.core.lean_json import dumps

    # DEL is the one control character that JSON need not escape.
    yield f'{{"schema": "agentmail.{command}.v1"'
    for key, value in outcome.items():
        if key == "messages" and not isinstance(value, list):
            yield ', "messages": ['
            between = ""
            for message in value:  # type: ignore[attr-defined]
                yield (between + dumps(message)).replace("\x7f", "\\u007f")
                between = ", "
            yield "]"
        else:
            yield f", {dumps(key)}: {dumps(value)}".replace("\x7f", "\\u007f")
    yield "}\n"


def _file(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            # Opened without waiting, read with: what a command is still writing is worth waiting for.
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
    while len(data) < BODY_READ:
        try:
            chunk = os.read(fd, BODY_READ - len(data))
        except BlockingIOError:
            # Somebody set the pipe to answer at once: what it will say is worth waiting for.
            from select import select

            select([fd], [], [])
            continue
        if not chunk:
            break
        data += chunk
    return data


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentmail.cli.output import Output
    from agentmail.core.environment import Environment
    from agentmail.verbs.call import Recorder
    from agentmail.views.base import Listing
