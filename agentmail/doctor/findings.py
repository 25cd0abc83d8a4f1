"""One examination of a bus: what it goes by, what it may mend, and what it found, in that order."""

from __future__ import annotations

import errno
import os

from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import reason

PROBLEM, NOTE = "problem", "note"
FIX = "run `agentmail doctor --fix`"
NOTHING = "nothing needs doing"

#: What to do about what the system refuses.
REMEDIES = {
    errno.EACCES: "give its owner access again with `chmod u+rwX`, or look as its owner",
    errno.EPERM: "see with ls -ld and lsattr -d what keeps it from being changed",
    errno.EROFS: "make the bus writable",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.ELOOP: "put the real thing back in the place of the symlink",
    errno.ENOTDIR: "put a real directory in its place",
    errno.EIO: "the disk reports errors: copy the bus elsewhere while it can be read",
}


class Examination:
    """What the checks share. `owner` is who owns the bus, `fix` says whether what is safe is mended.

    `keeps_modes` is False where the file system ignores permissions; `disk_time` is its own clock in
    nanoseconds, None where it could not be asked.
    """

    def __init__(self, bus: Bus, *, fix: bool, environment: Environment | None = None) -> None:
        self.bus = bus
        self.disk = bus.disk
        self.fix = fix
        self.environment = environment
        self.findings: list[Finding] = []
        self.looked_at: list[str] = []
        self.owner = os.geteuid()
        self.keeps_modes = True
        self.disk_time: int | None = None
        self.now = bus.clock.now_ns()

    @property
    def home(self) -> str:
        """The user's home directory, or an empty string where it is not known."""
        try:
            return self.environment.home() if self.environment else ""
        except Refused:
            return ""

    def problem(self, subject: str, what: str, mend: str, *, fixed: bool = False) -> None:
        """Something that is wrong, or was until it was fixed."""
        self.found(PROBLEM, subject, what, mend, fixed)

    def note(self, subject: str, what: str, mend: str = NOTHING) -> None:
        """Something worth knowing with which everything works."""
        self.found(NOTE, subject, what, mend, False)

    def found(self, level: str, subject: str, what: str, mend: str, fixed: bool) -> None:
        """One finding."""
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


class Kind:
    """Things of one kind in one place, which make one finding: how many, and what the first few are called."""

    SHOWN = 3
    __slots__ = ("count", "fixed", "level", "mend", "noun", "shown", "what")

    def __init__(self, level: str, noun: str, what: str, mend: str, fixed: bool) -> None:
        self.level = level
        self.noun = noun
        self.what = what
        self.mend = mend
        self.fixed = fixed
        self.count = 0
        self.shown: list[str] = []

    def add(self, text: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.shown) < self.SHOWN:
            self.shown.append(text)

    def __str__(self) -> str:
        more = self.count - len(self.shown)
        listed = ", ".join(self.shown) + (f" and {more} more" if more else "")
        return f"{counted(self.count, self.noun)} {self.what}: {listed}"


class Kinds:
    """The kinds that one place is judged by, in the order in which their findings come."""

    def __init__(self, exam: Examination, subject: str) -> None:
        self.exam = exam
        self.subject = subject
        self.all: list[Kind] = []

    def problem(self, noun: str, what: str, mend: str, *, fixed: bool = False) -> Kind:
        """A kind of problem: `3 messages <what>: ...`."""
        self.all.append(Kind(PROBLEM, noun, what, mend, fixed))
        return self.all[-1]

    def note(self, noun: str, what: str, mend: str = NOTHING, *, fixed: bool = False) -> Kind:
        """A kind of thing worth knowing."""
        self.all.append(Kind(NOTE, noun, what, mend, fixed))
        return self.all[-1]

    def report(self) -> None:
        """Make a finding of each kind that anything was of."""
        for kind in self.all:
            if kind.count:
                self.exam.found(kind.level, self.subject, str(kind), kind.mend, kind.fixed)


def remedy(error: OSError) -> str:
    """What to do about an error of the system."""
    return REMEDIES.get(error.errno or 0, "look at it with ls -l")


def counted(count: int, noun: str) -> str:
    """`1 file`, `3 files`, `2 mailboxes`, `2 entries`."""
    if count == 1:
        return f"1 {noun}"
    stem = f"{noun[:-1]}ie" if noun.endswith("y") else f"{noun}e" if noun.endswith("x") else noun
    return f"{count} {stem}s"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.doctor.finding import Finding
