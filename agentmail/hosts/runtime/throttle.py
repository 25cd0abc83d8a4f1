"""What lets the shell stay silent at the next prompt: a hidden directory of the bus per session, all times.

    now         grows by a byte at each prompt: its time is the clock
    last, due   when Python looked, and when it should look again
    interval    the interval that `due` was made with
    inbox       a link to the inbox; `seen` has the time that the inbox had when Python looked, and is left
                out where something that waits has not been said yet
    registry    the time that registry.md had
    nobody      in place of the inbox, where the session is nobody's

Deleting it is harmless. It is removed first and written last, so that a crash leaves doubt, and doubt looks.
"""

from __future__ import annotations

import os

from agentmail.core import names, stamps
from agentmail.core.layout import INBOX, REGISTRY

FOLDER = ".hooks"
INTERVAL = 180
INTERVAL_MAX = 86_400
#: File systems and shells tell times apart by as little as whole seconds.
COARSE_NS = 2 * 10**9
FORGET_NS = 30 * 86_400 * 10**9
FORGET_MOST = 50
FILES = ("due", "last", "interval", "inbox", "seen", "registry", "nobody", "now")


def interval_of(text: str | None) -> int:
    """The seconds between looks: 0 to a day in plain digits, anything else is the default."""
    if text and len(text) <= 5 and names.DIGITS_ONLY.issuperset(text) and int(text) <= INTERVAL_MAX:
        return int(text)
    return INTERVAL


class Memory:
    """The times before the look: made before anything is read, `keep` writes them down after it."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.inbox = ""
        self.seen = 0
        #: False where something that waits has not been said yet.
        self.is_whole = True
        with bus.open() as root:
            registry = bus.disk.stat_or_none(REGISTRY, root)
            self.registry = registry.st_mtime_ns if registry else None

    def watch(self, box: Mailbox) -> None:
        """Take the inbox's time; it is made where it is missing."""
        self.inbox = box.path(INBOX)
        self.seen = self.bus.disk.fstat(box.folder(INBOX)).st_mtime_ns

    def keep(self, session: str, interval: str | None) -> None:
        """Write the state for this session; OSError where it cannot be."""
        disk, now = self.bus.disk, self.bus.clock.now_ns()
        with self.bus.open() as root:
            disk.make_directory(FOLDER, root)
            with disk.directory(FOLDER, root) as hooks:
                disk.make_directory(session, hooks)
                with disk.directory(session, hooks) as state:
                    for name in FILES:
                        disk.unlink(name, state)
                    self._write(state, now, str(INTERVAL) if interval is None else interval)

    def _write(self, state: int, now: int, interval: str) -> None:
        disk = self.bus.disk
        if self.registry is not None:
            stamps.stamp(disk, "registry", state, _settled(self.registry, now))
        if not self.inbox:
            stamps.stamp(disk, "nobody", state, now)
            return
        if self.is_whole:
            stamps.stamp(disk, "seen", state, _settled(self.seen, now))
        stamps.symlink(disk, self.inbox, "inbox", state)
        with disk.create("interval", state) as fd:
            disk.call("write", os.write, fd, os.fsencode(interval) + b"\n")
        seconds = interval_of(interval)
        if seconds:
            stamps.stamp(disk, "last", state, now)
            stamps.stamp(disk, "due", state, now + seconds * 10**9)


def _settled(time: int, now: int) -> int:
    """A time that the next change will differ from, however coarse the clock of the file system."""
    return time if now - time > COARSE_NS else time - COARSE_NS


def forget(bus: Bus, session: str) -> None:
    """Remove the state of a session; OSError where it cannot be."""
    disk = bus.disk
    with bus.open() as root:
        try:
            hooks = disk.directory(FOLDER, root)
        except FileNotFoundError:
            return
        with hooks as fd:
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


def forget_old(bus: Bus) -> None:
    """Remove the state of sessions that have not looked for a month, some at a time, beginning anywhere."""
    disk, now = bus.disk, bus.clock.now_ns()
    with bus.open() as root, disk.directory(FOLDER, root) as hooks:
        sessions = disk.names(hooks)
        start = os.urandom(1)[0] * len(sessions) // 256
        for session in (sessions[start:] + sessions[:start])[:FORGET_MOST]:
            try:
                if now - disk.stat(session, hooks).st_mtime_ns > FORGET_NS:
                    _remove(disk, session, hooks)
            except OSError:
                continue  # not ours, or another process was quicker


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus, Mailbox
