"""One examination of a bus: what it goes by, what it may fix, and what it found, in that order."""

from __future__ import annotations

import errno
import os

from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import reason

PROBLEM, NOTE = "problem", "note"
FIX = "run `agentmail doctor --fix`"
NOTHING = "nothing needs doing"

#: What to do about an error number.
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
    """What the checks share. `owner` is the user id that owns the bus; `fix` says whether safe fixes are made.

    `keeps_modes` is False if the file system ignores permissions; `disk_time` is the file system's clock in
    nanoseconds, None if it could not be read. `takes_no_writes` is True once a write in the bus itself has failed.
    `enclosed` is True on a bus that git carries, under a directory that nobody else can enter: git gives its files
    the modes of the umask at every pull, and nobody else reaches them.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        fix: bool,
        environment: Environment | None = None,
        progress: Callable[[list[str], str], Iterable[str]] | None = None,
    ) -> None:
        self.bus = bus
        self.disk = bus.disk
        self.fix = fix
        self.environment = environment
        self._progress = progress
        self.findings: list[Finding] = []
        self.looked_at: list[str] = []
        self.owner = os.geteuid()
        self.keeps_modes = True
        self.disk_time: int | None = None
        self.takes_no_writes = False
        self.enclosed = False
        self.now = bus.clock.now_ns()

    @property
    def home(self) -> str:
        """The user's home directory, or an empty string if it is unknown."""
        try:
            return self.environment.home() if self.environment else ""
        except Refused:
            return ""

    def walk(self, names: list[str]) -> Iterable[str]:
        """The names, which may take long to go through."""
        return self._progress(names, "examining") if self._progress else names

    def problem(self, subject: str, what: str, fix: str, *, fixed: bool = False) -> None:
        """Add a problem: something is wrong, or was wrong until it was fixed."""
        self.found(PROBLEM, subject, what, fix, fixed)

    def note(self, subject: str, what: str, fix: str = NOTHING) -> None:
        """Add a note: everything works, but this is worth knowing."""
        self.found(NOTE, subject, what, fix, False)

    def found(self, level: str, subject: str, what: str, fix: str, fixed: bool) -> None:
        """Add a finding."""
        self.findings.append({"level": level, "subject": subject, "what": what, "fix": fix, "fixed": fixed})

    def guard(self, subject: str, look: Callable[[], object]) -> None:
        """Run a check; an error in it becomes a problem and stops no other check."""
        try:
            look()
        except OSError as error:
            self.problem(subject, f"cannot be examined: {reason(error)}", remedy(error))
        except AgentMailError as error:
            self.problem(subject, error.what, error.next_step)

    def try_fix(self, change: Callable[[], object]) -> str:
        """Make a change that fixes something; returns why it failed, or an empty string."""
        try:
            change()
        except OSError as error:
            return reason(error)
        except AgentMailError as error:
            return error.what
        return ""


class Kind:
    """Things of one kind in one directory, reported as one finding: their number and the first few names."""

    SHOWN = 3
    __slots__ = ("count", "fix", "fixed", "level", "noun", "shown", "what")

    def __init__(self, level: str, noun: str, what: str, fix: str, fixed: bool) -> None:
        self.level = level
        self.noun = noun
        self.what = what
        self.fix = fix
        self.fixed = fixed
        self.count = 0
        self.shown: list[str] = []

    def add(self, text: str) -> None:
        """Count one more thing."""
        self.count += 1
        if len(self.shown) < self.SHOWN:
            self.shown.append(text)

    def __str__(self) -> str:
        more = self.count - len(self.shown)
        listed = ", ".join(self.shown) + (f" and {more} more" if more else "")
        return f"{counted(self.count, self.noun)} {self.what}: {listed}"


class Kinds:
    """The kinds that one directory is checked for, in the order of their findings."""

    def __init__(self, exam: Examination, subject: str) -> None:
        self.exam = exam
        self.subject = subject
        self.all: list[Kind] = []

    def problem(self, noun: str, what: str, fix: str, *, fixed: bool = False) -> Kind:
        """A kind of problem: `3 messages <what>: ...`."""
        self.all.append(Kind(PROBLEM, noun, what, fix, fixed))
        return self.all[-1]

    def note(self, noun: str, what: str, fix: str = NOTHING, *, fixed: bool = False) -> Kind:
        """A kind of note."""
        self.all.append(Kind(NOTE, noun, what, fix, fixed))
        return self.all[-1]

    def report(self) -> None:
        """Add a finding for each kind that was seen."""
        for kind in self.all:
            if kind.count:
                self.exam.found(kind.level, self.subject, str(kind), kind.fix, kind.fixed)


def remedy(error: OSError) -> str:
    """What to do about a system error."""
    return REMEDIES.get(error.errno or 0, "look at it with ls -l")


def counted(count: int, noun: str) -> str:
    """`1 file`, `3 files`, `2 mailboxes`, `2 entries`."""
    if count == 1:
        return f"1 {noun}"
    stem = f"{noun[:-1]}ie" if noun.endswith("y") else f"{noun}e" if noun.endswith("x") else noun
    return f"{count} {stem}s"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.doctor.finding import Finding
