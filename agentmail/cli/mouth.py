"""What every command has at hand: the bus, who I am, standard input, and how to answer."""

from __future__ import annotations

import os
import stat

from agentmail.cli.output import Output, ReportFailed
from agentmail.core import names
from agentmail.core.environment import Environment
from agentmail.core.errors import Refused, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import Bus

#: One byte more than a body may have is enough to know that it is too large.
BODY_READ = 8192 + 1
#: Messages from which on a walk through them is worth a bar.
LONG = 5000
#: How many that could not be read are named one by one.
UNREADABLE_SHOWN = 3
NO_MACHINE = "this machine has no id that could be kept"


class Mouth:
    """One call of the command line."""

    def __init__(self, environment: Environment, output: Output, *, json: bool = False) -> None:
        self.environment = environment
        self.output = output
        self.json = json
        self._bus: Bus | None = None
        self.no_machine = ""

    @property
    def bus(self) -> Bus:
        """The bus of this call."""
        if self._bus is None:
            self._bus = Bus(self.environment.bus_path())
        return self._bus

    def me(self, identity: str | None) -> str:
        """The identity given, else who the surroundings say I am."""
        if identity is not None:
            return names.identity(identity)
        from agentmail.core.whoami import who_am_i

        return who_am_i(self.bus, self.environment)

    def session(self, given: str | None) -> str:
        """The session: the one given, else AGENT_MAIL_SESSION, else the host's; empty where there is none."""
        found = self.environment.session(given)
        if not found:
            from agentmail.hosts.base import host_session

            found = self.environment.session(host_session(self.environment.variables)[1] or None)
        return found

    def machine(self) -> str:
        """The id of this machine; empty where it cannot be kept, and `no_machine` says why."""
        from agentmail.ledger.machine import machine_id

        try:
            return machine_id(self.environment, self.bus.disk)
        except OSError as error:
            self.no_machine = reason(error)
        except Refused as error:
            if self.environment.variables.get("AGENT_MAIL_MACHINE"):
                raise
            self.no_machine = error.what
        return ""

    def origin(self, session: str | None) -> Origin | None:
        """The session that acts, or None where none is known, or nothing it does could be recorded (that is said)."""
        found = self.session(session)
        machine = self.machine() if found else ""
        if found and not machine:
            self.output.say(f"note: nothing is recorded: {NO_MACHINE}: {self.no_machine}")
        if not machine:
            return None
        from agentmail.verbs.presenting import Origin

        try:
            workdir = self.environment.directory()
        except TryAgain:
            workdir = ""  # it was removed; whoever acts is still there
        return Origin(machine, found, workdir)

    def present(self, origin: Origin | None, identity: str, files: list[str]) -> None:
        """After printing: record that the session, if there is one, was shown these messages."""
        if origin is None or not files:
            return
        from agentmail.ledger.receipts import key_of
        from agentmail.verbs.presenting import present

        present(self.bus, identity, origin, [key_of(name) for name in files])

    def progress(self, listing: Iterable[T]) -> Iterable[T]:
        """The listing; where it is long and a person waits at a terminal, with a bar that shows how far it is."""
        found = list(listing)
        if len(found) < LONG or not self.output.talks_to_terminal():
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

    def answer(self, command: str, outcome: Mapping[str, object], lines: Callable[[], Iterable[str]]) -> None:
        """Print an outcome: as JSON, as a table for a person, or as compact text."""
        if self.json:
            self.output.answer([as_json(command, outcome)])
        elif self.output.is_terminal():
            from agentmail.cli.tables import for_people

            self.output.answer(for_people(command, outcome, lines))
        else:
            self.output.answer(lines())

    def report(self, command: str, outcome: Mapping[str, object], lines: Callable[[], Iterable[str]]) -> None:
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

    def unreadable(self, outcome: Mapping[str, object]) -> None:
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


def as_json(command: str, outcome: Mapping[str, object]) -> str:
    """One line of ASCII JSON under the command's schema name."""
    import json

    plain = {key: list(value) if key == "messages" else value for key, value in outcome.items()}  # type: ignore[call-overload]
    # DEL is the one control character that JSON need not escape.
    return json.dumps({"schema": f"agentmail.{command}.v1", **plain}).replace("\x7f", "\\u007f")


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
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from agentmail.verbs.presenting import Origin

    T = TypeVar("T")
