"""One examination of a bus: what it goes by, what it may mend, and what it found, in that order."""

from __future__ import annotations

import errno
import os

from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason

PROBLEM, NOTE = "problem", "note"
FIX = "run `agentmail doctor --fix`"
NOTHING = "nothing needs doing"

#: What to do about what the system refuses.
REMEDIES = {
    errno.EACCES: "give its owner access again with chmod u+rwx, or look as its owner",
    errno.EPERM: "look with ls -ld and lsattr -d what keeps it from being changed",
    errno.EROFS: "make the bus writable",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.ELOOP: "put the real thing back in the place of the symlink",
    errno.ENOTDIR: "put a real directory in its place",
    errno.EIO: "the disk reports errors: copy the bus elsewhere while it can be read",
}


class Tally:
    """Things of one kind in one place: how many there are, and what the first few are called."""

    SHOWN = 3
    __slots__ = ("count", "shown")

    def __init__(self) -> None:
        self.count = 0
        self.shown: list[str] = []

    def add(self, text: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.shown) < self.SHOWN:
            self.shown.append(text)

    def __bool__(self) -> bool:
        return self.count > 0

    def of(self, noun: str) -> str:
        """`3 files: a, b, c`; a large number is cut short."""
        more = self.count - len(self.shown)
        return f"{counted(self.count, noun)}: {', '.join(self.shown)}{f' and {more} more' if more else ''}"


class Examination:
    """What the checks share. `owner` is who owns the bus, `fix` says whether what is safe is mended.

    `keeps_modes` is False where the file system ignores permissions; `disk_time` is its own clock in
    nanoseconds, None where it could not be asked; `home` is the user's home directory, or empty.
    """

    def __init__(self, bus: Bus, *, fix: bool, home: str = "", retention: str | None = None) -> None:
        self.bus = bus
        self.disk = bus.disk
        self.fix = fix
        self.home = home
        self.retention = retention
        self.findings: list[Finding] = []
        self.looked_at: list[str] = []
        self.owner = os.geteuid()
        self.keeps_modes = True
        self.disk_time: int | None = None
        self.now = bus.clock.now_ns()

    def problem(self, subject: str, what: str, mend: str, *, fixed: bool = False) -> None:
        """Something that is wrong, or was until it was fixed."""
        self._found(PROBLEM, subject, what, mend, fixed)

    def note(self, subject: str, what: str, mend: str = NOTHING, *, fixed: bool = False) -> None:
        """Something worth knowing with which everything works."""
        self._found(NOTE, subject, what, mend, fixed)

    def _found(self, level: str, subject: str, what: str, mend: str, fixed: bool) -> None:
        self.findings.append({"level": level, "subject": subject, "what": what, "mend": mend, "fixed": fixed})

    def guard(self, subject: str, look: Callable[[], object]) -> None:
        """Look at something; what cannot be looked at is a problem of its own and stops nothing else."""
        try:
            look()
        except OSError as error:
            self.problem(subject, f"cannot be looked at: {reason(error)}", remedy(error))
        except AgentMailError as error:
            self.problem(subject, error.what, error.next_step)

    def mended(self, change: Callable[[], object]) -> str:
        """Make a change that mends; returns why it could not be made, or an empty string."""
        try:
            change()
        except OSError as error:
            return reason(error)
        except AgentMailError as error:
            return error.what
        return ""


def remedy(error: OSError) -> str:
    """What to do about an error of the system."""
    return REMEDIES.get(error.errno or 0, "look at it with ls -l")


def counted(count: int, noun: str) -> str:
    """`1 file`, `3 files`, `2 mailboxes`."""
    if count == 1:
        return f"1 {noun}"
    stem = f"{noun[:-1]}ie" if noun.endswith("y") else f"{noun}e" if noun.endswith("x") else noun
    return f"{count} {stem}s"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Finding
