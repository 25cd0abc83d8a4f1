"""Owners and modes of the entries of a directory: directories 0700, files 0600.

Why a fix only narrows a mode, and only of our own entries: an owner may have removed his own access on purpose.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat

from agentmail.core.fs import is_file, reason
from agentmail.doctor.findings import FIX, Kinds

DIRECTORY, FILE = 0o700, 0o600
#: The files that are changed in place: records, and locks. Every other one is replaced.
WRITTEN = (".jsonl", ".lock")
WIDE = "open to others (mode wider than 0700 for a directory, 0600 for a file)"


class Modes:
    """The entries of one directory, checked for owner and mode. `subject` is its path in the bus, or `bus`."""

    def __init__(self, exam: Examination, subject: str, parent: int) -> None:
        self.exam = exam
        self.parent = parent
        path = shlex.quote(exam.bus.root if subject == "bus" else exam.bus.path(subject))
        self.kinds = Kinds(exam, subject)
        self.foreign = self.kinds.problem(
            "entry", "with another owner than the bus", f"as root: `chown -hR {exam.owner} {path}`"
        )
        self.locked = self.kinds.problem(
            "directory", "closed to its own owner", f"`chmod u+rwx`, in {path}, unless that is intended"
        )
        self.unwritable = self.kinds.problem(
            "file", "that is written to and closed to its own owner", f"`chmod u+rw`, in {path}"
        )
        wide = self.kinds.note if exam.enclosed else self.kinds.problem
        what = f"{WIDE}, in a bus that nobody else can enter" if exam.enclosed else WIDE
        self.wide = wide("entry", what, FIX)
        self.narrowed = wide("entry", what, FIX, fixed=True)
        self.refused = self.kinds.problem("entry", WIDE, f"`chmod go-rwx`, in {path}, as the owner")

    def look(self, name: str, info: os.stat_result) -> None:
        """Check one entry by its stat. Other checks report symlinks, pipes and devices."""
        directory = stat.S_ISDIR(info.st_mode)
        if not directory and not is_file(info):
            return
        if info.st_uid != self.exam.owner:
            self.foreign.add(f"{name} (uid {info.st_uid})")
        elif self.exam.keeps_modes:
            if directory and is_locked(info):
                self.locked.add(f"{name} {shown(info)}")
            elif name.endswith(WRITTEN) and info.st_mode & FILE != FILE:
                self.unwritable.add(f"{name} {shown(info)}")
            if is_wide(info):
                self._narrow(f"{name} {shown(info)}", name, directory)

    def _narrow(self, text: str, name: str, directory: bool) -> None:
        if not self.exam.fix:
            self.wide.add(text)
            return
        disk = self.exam.disk
        try:
            handle = disk.directory(name, self.parent) if directory else disk.file(name, self.parent)
            with handle as fd:
                narrow(self.exam, fd)
        except FileNotFoundError:
            return  # archived or pruned meanwhile
        except OSError as error:
            self.refused.add(f"{text} ({reason(error)})")
        else:
            self.narrowed.add(text)

    def hidden(self) -> None:
        """Check our own hidden entries of the directory."""
        for name in self.exam.disk.hidden_names(self.parent):
            info = self.exam.disk.stat_or_none(name, self.parent)
            if info is not None:
                self.look(name, info)

    def report(self) -> None:
        """Add the findings."""
        self.kinds.report()


def narrow(exam: Examination, fd: int) -> None:
    """Remove the access of others to an open entry of ours; OSError if the mode stays."""
    info = exam.disk.fstat(fd)
    if info.st_uid == exam.owner and is_wide(info):
        exam.disk.chmod(fd, info.st_mode & _limit(info))
        if is_wide(exam.disk.fstat(fd)):
            raise OSError(errno.EOPNOTSUPP, "the file system keeps the mode as it was")


def is_wide(info: os.stat_result) -> bool:
    """True if the mode allows more than 0700 for a directory, or 0600 for a file."""
    return bool(stat.S_IMODE(info.st_mode) & ~_limit(info))


def is_locked(info: os.stat_result) -> bool:
    """True for a directory that its owner cannot list, change or enter."""
    return info.st_mode & DIRECTORY != DIRECTORY


def shown(info: os.stat_result) -> str:
    """A mode as chmod takes it."""
    return f"{stat.S_IMODE(info.st_mode):04o}"


def _limit(info: os.stat_result) -> int:
    return DIRECTORY if stat.S_ISDIR(info.st_mode) else FILE


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.doctor.findings import Examination
