"""What the hooks keep of a session, in this machine's directory for the bus: the throttle, and what was said.

The shell reads these to skip a prompt without Python:

    now         grows by a byte at each prompt: its modification time is the current time
    last, due   when Python looked, and when it should look again
    interval    the interval that `due` was computed with
    inbox       a link to the inbox; `seen` has the modification time that the inbox had when Python looked, and
                is missing where a waiting message was not reported yet
    registry    the modification time that registry.md had
    nobody      in place of the inbox, where the session has no identity

Only Python reads these:

    counted     the messages that a notice counted and did not name, one key a line
    said        what a prompt was told went wrong
    bound       the identity for which the session began

Deleting all of it is harmless. The files are removed first and written last: after a crash the state is incomplete,
so the next prompt checks the inbox. No file but `inbox` is ever a symlink; with any other, Python looks.
"""

from __future__ import annotations

from agentmail.core import names, stamps, system
from agentmail.core.layout import INBOX, REGISTRY
from agentmail.ledger.machine import local_directory

FOLDER = "hooks"
INTERVAL = 180
INTERVAL_MAX = 86_400
#: Some file systems and shells compare times in whole seconds only.
COARSE_NS = 2 * 10**9
FORGET_NS = 30 * 86_400 * 10**9
FORGET_MOST = 50
SAID, COUNTED, BOUND = "said", "counted", "bound"
#: The bytes of `counted` that are read: more messages than a mailbox should ever have waiting.
COUNTED_MAX = 16 << 20
LOOKED = ("due", "last", "interval", "inbox", "seen", "registry", "nobody", "now", SAID)
FILES = (*LOOKED, COUNTED, BOUND)


def interval_of(text: str | None) -> int:
    """The seconds between looks: 0 to a day in ASCII digits; the default for anything else."""
    if text and len(text) <= 5 and names.DIGITS_ONLY.issuperset(text) and int(text) <= INTERVAL_MAX:
        return int(text)
    return INTERVAL


class ThrottleState:
    """The modification times from before the look. Make it before anything is read; `keep` writes it afterwards."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.inbox = ""
        self.seen = 0
        #: False where a waiting message was not reported yet.
        self.is_complete = True
        with bus.open() as root:
            registry = bus.disk.stat_or_none(REGISTRY, root)
            self.registry = registry.st_mtime_ns if registry else None

    def watch(self, box: Mailbox) -> None:
        """Take the modification time of the inbox, which is made where it is missing."""
        self.inbox = box.path(INBOX)
        self.seen = self.bus.disk.fstat(box.folder(INBOX)).st_mtime_ns

    def keep(self, home: str, session: str, interval: str | None) -> None:
        """Write the state of this session; OSError where that fails."""
        disk, now = self.bus.disk, self.bus.clock.now_ns()
        with local_directory(disk, home, self.bus.root, FOLDER, session, make=True) as state:
            for name in LOOKED:
                disk.unlink(name, state)
            self._write(state, now, str(INTERVAL) if interval is None else interval)

    def _write(self, state: int, now: int, interval: str) -> None:
        disk = self.bus.disk
        if self.registry is not None:
            stamps.stamp(disk, "registry", state, _settled(self.registry, now))
        if not self.inbox:
            stamps.stamp(disk, "nobody", state, now)
            return
        if self.is_complete:
            stamps.stamp(disk, "seen", state, _settled(self.seen, now))
        stamps.symlink(disk, self.inbox, "inbox", state)
        with disk.create("interval", state) as fd:
            disk.call("write", system.write, fd, system.fsencode(interval) + b"\n")
        seconds = interval_of(interval)
        if seconds:
            stamps.stamp(disk, "last", state, now)
            stamps.stamp(disk, "due", state, now + seconds * 10**9)


def _settled(time: int, now: int) -> int:
    """A time that differs from that of the next change, even if the file system counts whole seconds."""
    return time if now - time > COARSE_NS else time - COARSE_NS


def recall(disk: Disk, home: str, bus: str, session: str, name: str) -> str:
    """The text of one file of a session; empty where there is none or it cannot be read."""
    try:
        with local_directory(disk, home, bus, FOLDER, session) as state, disk.file(name, state) as fd:
            return disk.read(fd, COUNTED_MAX).decode("utf-8", "replace")
    except OSError:
        return ""


def store(disk: Disk, home: str, bus: str, session: str, name: str, text: str) -> None:
    """Write one file of a session; an empty text removes it. OSError where that fails."""
    with local_directory(disk, home, bus, FOLDER, session, make=True) as state:
        disk.unlink(name, state)
        if text:
            with disk.create(name, state) as fd:
                view = memoryview(text.encode())
                while view:
                    view = view[disk.call("write", system.write, fd, view) :]


def forget(disk: Disk, home: str, bus: str, session: str) -> None:
    """Remove the state of a session; OSError where that fails."""
    try:
        handle = local_directory(disk, home, bus, FOLDER)
    except FileNotFoundError:
        return
    with handle as fd:
        _remove(disk, session, fd)


def _remove(disk: Disk, session: str, hooks: int) -> None:
    try:
        handle = disk.directory(session, hooks)
    except FileNotFoundError:
        return
    with handle as state:
        for name in FILES:
            disk.unlink(name, state)
    stamps.remove_directory(disk, session, hooks)


def forget_old(disk: Disk, home: str, bus: str, now: int) -> None:
    """Remove the state of sessions that have not looked for a month: a few per call, starting at a random one."""
    with local_directory(disk, home, bus, FOLDER) as hooks:
        sessions = disk.names(hooks)
        start = system.urandom(1)[0] * len(sessions) // 256
        for session in (sessions[start:] + sessions[:start])[:FORGET_MOST]:
            try:
                if now - disk.stat(session, hooks).st_mtime_ns > FORGET_NS:
                    _remove(disk, session, hooks)
            except OSError:
                continue  # not ours, or another process removed it first


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus, Mailbox
