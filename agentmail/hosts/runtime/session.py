"""The session that a hook runs for: its identity, which of the waiting messages it was not shown yet, its record.

The hook prints first and records afterwards: a crash in between repeats a notice, it never hides one.
"""

from __future__ import annotations

from agentmail.core import names, system, times
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import LOOK
from agentmail.core.layout import REGISTRY, Bus, waiting_unordered
from agentmail.core.roster import KnownIdentities, mailboxes, open_mailbox, unknown
from agentmail.hosts.runtime.process import diagnose, is_abandoned
from agentmail.hosts.runtime.throttle import BOUND, COUNTED, SAID, forget, recall, store
from agentmail.hosts.runtime.whoami import identity_of
from agentmail.ledger.machine import local_directory, local_path, machine_id
from agentmail.ledger.receipts import PRESENTED, key_of, message_line, session_line
from agentmail.ledger.sessions import SessionFile

LOG = "hook.log"
LOG_MAX = 64 << 10


class HookSession:
    """One run of a hook. What cannot be determined is empty; then nothing is recorded."""

    def __init__(self, host: Host, event: Event, environment: Environment, bus: Bus) -> None:
        self.host = host
        self.event = event
        self.environment = environment
        self.bus = bus
        self.home = _home(environment)
        found = event.session or host.session(environment.variables)
        self.session = found if names.is_session(found) else ""
        self.started_in = host.started_in(environment.variables)
        #: True where the hook records nothing.
        self.dry_run = bool(environment.variables.get("AGENT_MAIL_DRY_RUN"))
        self.machine = ""
        self.record: SessionFile | None = None
        #: True where a hook has recorded that it began this session.
        self.begun = False

    def _machine(self) -> str:
        try:
            return machine_id(self.environment, self.bus.disk)
        except (OSError, AgentMailError):
            return ""

    def identity(self) -> str | None:
        """The identity of this session, None for none; an error where it cannot be determined."""
        self.machine = "" if self.dry_run else self._machine()
        return identity_of(
            self.bus,
            self.environment,
            host=self.host.name,
            machine=self.machine,
            session=self.session,
            directories=(self.started_in, self.event.directory),
            home=self.home,
        )

    def bind(self, identity: str) -> None:
        """Keep for which identity the session began, where no file from elsewhere can change it."""
        if not self._recall(BOUND):
            self._store(BOUND, identity)

    def has_no_bus(self) -> bool:
        """True where there is nothing at the path of the bus."""
        try:
            system.lstat(self.bus.root)
        except FileNotFoundError:
            return True
        return False

    def had_a_bus(self) -> bool:
        """True where hooks of this machine have looked into the bus before."""
        return bool(self.home) and system.exists(local_path(self.home, self.bus.root), follow=False)

    def has_lost_the_registry(self) -> bool:
        """True where there are mailboxes, and the file that says whose they are is missing."""
        with self.bus.open() as root:
            return not self.bus.disk.exists(REGISTRY, root) and bool(mailboxes(self.bus))

    def open(self, identity: str) -> Mailbox:
        """The mailbox; UnknownIdentity where nobody of that name is registered.

        It is made where only a row exists; in a dry run that is FileNotFoundError.
        """
        if not self.dry_run:
            return open_mailbox(self.bus, identity)
        try:
            return self.bus.mailbox(identity)
        except FileNotFoundError:
            known = KnownIdentities(self.bus)
            if identity in known.rows:
                raise
        raise unknown(self.bus, identity, known)

    def presented(self, box: Mailbox, *, wait: float = 0) -> frozenset[str]:
        """The keys of what this session was shown; the record is locked if possible. Empty where it is not known.

        Facts from the future do not count: a clock was wrong, then or now, and showing a message twice is better
        than not at all.
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
        self.begun = any(fact.get("host") == self.host.name for fact in found.sessions)
        now = self._now()
        return frozenset(key for key, time in found.presented.items() if time <= now)

    def waiting(self, box: Mailbox, *, only_new: bool, wait: float) -> tuple[int, list[str]]:
        """How many messages wait, and the keys, oldest first, of all or of those that are new to this session."""
        known = self.presented(box, wait=wait)
        found = waiting_unordered(box)
        if only_new:
            known = known.union(self._recall(COUNTED).split("\n"))
        shown = [name for name in found if not _is_known(name, known)] if only_new else found
        return len(found), [key_of(name) for name in sorted(shown, key=names.order)]

    def keep_counted(self, keys: list[str], *, only_new: bool) -> bool:
        """Keep what a notice counted and did not name, so that no prompt counts it again; False where that fails.

        No receipt: the session was not shown that one of these exists.
        """
        if only_new and not keys:
            return True
        before = self._recall(COUNTED)
        if not keys and not before:
            return True
        lines = [*before.split("\n"), *keys] if only_new and before else keys
        return self._store(COUNTED, "\n".join(lines))

    def is_said(self, text: str) -> bool:
        """True where a prompt of this session was told this already; else it now is, as far as that can be kept."""
        if self._recall(SAID) == text:
            return True
        self._store(SAID, text)
        return False

    def _recall(self, name: str) -> str:
        if not self.session or not self.home:
            return ""
        return recall(self.bus.disk, self.home, self.bus.root, self.session, name)

    def _store(self, name: str, text: str) -> bool:
        if self.dry_run or not self.session or not self.home:
            return False
        try:
            store(self.bus.disk, self.home, self.bus.root, self.session, name, text)
        except OSError:
            return False
        return True

    def keep(self, keys: list[str], *, session_fact: bool = False, wake: bool = False) -> bool:
        """Record what was printed, and with `session_fact` the session; False where that is not on record."""
        if self.record is None or self.dry_run or is_abandoned():
            return not keys
        now = self._now()
        lines = [message_line(PRESENTED, key, now) for key in keys]
        if session_fact:
            lines.insert(0, self._session_line(now, wake))
        try:
            with self.record as record:
                record.append(lines)
        except OSError as error:
            diagnose(f"what was shown could not be recorded: {error}")
            return False
        return True

    def _now(self) -> str:
        return times.timestamp(self.bus.clock.now_ns())

    def _session_line(self, now: str, wake: bool) -> str:
        return session_line(
            machine=self.machine,
            session=self.session,
            host=self.host.name,
            workdir=self.started_in or self.event.directory,
            wake=wake,
            time=now,
        )

    def remember(self, state: ThrottleState) -> None:
        """Write the state by which the shell skips the next prompts; a failure to write it only costs time."""
        shell = self.host.session(self.environment.variables)  # by this the shell finds the state
        if self.dry_run or not self.home or not names.is_session(shell):
            return
        try:
            if shell == self.session:
                state.keep(self.home, shell, self.environment.variables.get("AGENT_MAIL_CHECK_INTERVAL"))
            else:
                forget(self.bus.disk, self.home, self.bus.root, shell)
        except (OSError, AgentMailError):
            return

    def log(self, text: str) -> None:
        """Report a failure on standard error, and in this machine's capped log for the bus."""
        diagnose(text)
        if self.dry_run or not self.home:
            return
        line = f"{self._now()} {names.printable(text)[:500]}\n".encode()
        flags = LOOK | system.O_WRONLY | system.O_APPEND | system.O_CREAT
        disk = self.bus.disk
        try:
            with local_directory(disk, self.home, self.bus.root, make=True) as folder:
                fd = disk.call("create", system.open, LOG, flags, 0o600, dir_fd=folder)
                if disk.fstat(fd).st_size < LOG_MAX:
                    disk.call("write", system.write, fd, line)
                disk.close(fd)
        except OSError:
            return


def _home(environment: Environment) -> str:
    """The user's home directory; empty where it is not known, and then nothing is kept."""
    try:
        return environment.home()
    except Refused:
        return ""


def _is_known(name: str, known: frozenset[str]) -> bool:
    """True for a file whose key is among these. The id is tried first: it nearly always is the key, and is cheaper."""
    return (name.endswith(".md") and name[:-3] in known) or key_of(name) in known


def _lock(record: SessionFile, seconds: float) -> None:
    """Lock the record; on lock timeout continue unlocked: a notice may repeat, it is never held back."""
    try:
        record.lock(seconds)
    except TimeoutError:
        return


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Mailbox
    from agentmail.hosts import Event
    from agentmail.hosts.base import Host
    from agentmail.hosts.runtime.throttle import ThrottleState
