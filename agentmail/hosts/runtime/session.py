"""One call of a hook: who it is for, which of the waiting messages this session has not been shown, and the record.

Print first, record after: a crash in between repeats a notice, it never hides one.
"""

from __future__ import annotations

import os

from agentmail.core import names, times
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus, waiting_unordered
from agentmail.core.roster import open_mailbox, roster, unknown
from agentmail.hosts.runtime.notice import compose
from agentmail.hosts.runtime.payload import nobody_listens, talk
from agentmail.hosts.runtime.throttle import forget
from agentmail.hosts.runtime.whoami import HOST, identity_of
from agentmail.ledger.machine import machine_id
from agentmail.ledger.receipts import PRESENTED, key_of, message_line, session_line
from agentmail.ledger.sessions import SessionFile

LOG = ".hook.log"
LOG_MAX = 64 << 10


class Visit:
    """A session at its mailbox. Everything that cannot be known is empty: then nothing is recorded."""

    def __init__(self, payload: Payload, environment: Environment) -> None:
        self.payload = payload
        self.environment = environment
        self.bus = Bus(environment.bus_path())
        found = payload.text("session_id") or self._shell_session()
        self.session = found if names.is_session(found) else ""
        self.trial = bool(environment.variables.get("AGENT_MAIL_TRIAL"))
        self.machine = ""
        self.record: SessionFile | None = None
        #: True where a hook has said in the record that it began this session.
        self.begun = False

    def _machine(self) -> str:
        try:
            return machine_id(self.environment, self.bus.disk)
        except (OSError, AgentMailError):
            return ""

    def _shell_session(self) -> str:
        """The session by which the shell finds its memory."""
        return self.environment.variables.get("CLAUDE_CODE_SESSION_ID", "")

    def identity(self) -> str | None:
        """Whose mail this session gets; an error where that is not plain."""
        self.machine = "" if self.trial else self._machine()
        return identity_of(self.bus, self.environment, self.session, self.machine, self.payload.text("cwd"))

    def has_no_bus(self) -> bool:
        """True where there is none yet, and nothing in its place that is broken."""
        try:
            os.lstat(self.bus.root)
        except FileNotFoundError:
            return True
        return False

    def open(self, identity: str) -> Mailbox:
        """The mailbox; UnknownIdentity where nobody of that name is registered.

        It is made where only a row is there; in a trial that is FileNotFoundError.
        """
        if not self.trial:
            return open_mailbox(self.bus, identity)
        try:
            return self.bus.mailbox(identity)
        except FileNotFoundError:
            known = roster(self.bus)
            if identity in known.rows:
                raise
        raise unknown(self.bus, identity, known)

    def presented(self, box: Mailbox, *, wait: float = 0) -> frozenset[str]:
        """The keys of what this session was shown, with the record locked if it can be had; empty in doubt.

        Facts from the future do not count: a clock was wrong, then or now, and in doubt a message is shown.
        """
        if not self.session or not self.machine:
            return frozenset()
        try:
            record = SessionFile(box, self.machine, self.session)
            _lock(record, wait)
            found = record.receipts()
        except OSError:
            return frozenset()
        self.record = record
        self.begun = any(fact.get("host") == HOST for fact in found.sessions)
        now = self._now()
        return frozenset(key for key, time in found.presented.items() if time <= now)

    def notice(self, box: Mailbox, *, only_new: bool, wait: float = 0) -> Notice | None:
        """The notice of what waits, or of what is new to this session; None where there is nothing to say."""
        known = self.presented(box, wait=wait)
        found = waiting_unordered(box)
        shown = [name for name in found if not _is_known(name, known)] if only_new else found
        shown.sort(key=names.order)
        keys = [key_of(name) for name in shown]
        return compose(box.identity, len(found), keys, new=only_new) if shown else None

    def keep(self, keys: list[str], *, session_fact: bool = False, wake: bool = False) -> bool:
        """Record what was printed, and with `session_fact` who was here; False where that is not on record."""
        if self.record is None or self.trial or nobody_listens():
            return not keys
        now = self._now()
        lines = [message_line(PRESENTED, key, now) for key in keys]
        if session_fact:
            lines.insert(0, self._session_line(now, wake))
        try:
            with self.record as record:
                record.append(lines)
        except OSError as error:
            talk(f"what was shown could not be recorded: {error}")
            return False
        return True

    def _now(self) -> str:
        return times.timestamp(self.bus.clock.now_ns())

    def _session_line(self, now: str, wake: bool) -> str:
        return session_line(
            machine=self.machine,
            session=self.session,
            host=HOST,
            workdir=self.environment.variables.get("CLAUDE_PROJECT_DIR") or self.payload.text("cwd"),
            wake=wake,
            time=now,
        )

    def remember(self, memory: Memory) -> None:
        """Let the next prompts be silent in the shell; a memory that cannot be written only costs time."""
        shell = self._shell_session()
        if self.trial or not names.is_session(shell):
            return
        try:
            if shell == self.session:
                memory.keep(shell, self.environment.variables.get("AGENT_MAIL_CHECK_INTERVAL"))
            else:
                forget(self.bus, shell)
        except (OSError, AgentMailError):
            return

    def log(self, identity: str, text: str) -> None:
        """Say what went wrong on standard error, and in the mailbox's capped log."""
        talk(text)
        if self.trial:
            return
        line = f"{self._now()} {names.printable(text)[:500]}\n".encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            with self.bus.mailbox(identity) as box:
                fd = box.disk.call("create", os.open, LOG, flags, 0o600, dir_fd=box.fd)
                if box.disk.fstat(fd).st_size < LOG_MAX:
                    box.disk.call("write", os.write, fd, line)
                box.disk.close(fd)
        except (OSError, AgentMailError):
            return


def _is_known(name: str, known: frozenset[str]) -> bool:
    """True for a file whose key is among these: nearly always its id, which is cheaper to look for."""
    return (name.endswith(".md") and name[:-3] in known) or key_of(name) in known


def _lock(record: SessionFile, seconds: float) -> None:
    """Who cannot have the lock in time goes on without: a notice may be repeated, never held back."""
    try:
        record.lock(seconds)
    except TimeoutError:
        return


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.hosts.runtime.notice import Notice
    from agentmail.hosts.runtime.payload import Payload
    from agentmail.hosts.runtime.throttle import Memory
