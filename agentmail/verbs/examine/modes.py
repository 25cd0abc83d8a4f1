"""Who owns the entries of a directory and who else may use them: directories 0700, files 0600.

Mending narrows what is ours and never widens: a mode that somebody took away from himself may be meant.
"""

from __future__ import annotations

import os
import shlex
import stat

from agentmail.core.fs import is_file, reason
from agentmail.verbs.examine.findings import FIX, Tally

DIRECTORY, FILE = 0o700, 0o600


class Modes:
    """The entries of one directory, tallied by what is wrong with them. `place` is its path in the bus, "" the bus itself."""

    def __init__(self, exam: Examination, place: str, parent: int) -> None:
        self.exam = exam
        self.place = place
        self.parent = parent
        self.foreign = Tally()
        self.locked = Tally()
        self.wide = Tally()
        self.narrowed = Tally()
        self.refused = Tally()

    def look(self, name: str, info: os.stat_result) -> None:
        """Judge one entry by what stat says of it. Symlinks, pipes and devices are judged elsewhere."""
        directory = stat.S_ISDIR(info.st_mode)
        if not directory and not is_file(info):
            return
        if info.st_uid != self.exam.owner:
            self.foreign.add(f"{name} (uid {info.st_uid})")
            return
        if not self.exam.keeps_modes:
            return
        if directory and is_locked(info):
            self.locked.add(f"{name} {shown(info)}")
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
        except OSError as error:
            self.refused.add(f"{text} ({reason(error)})")
        else:
            self.narrowed.add(text)

    def report(self) -> None:
        """Make findings of what was tallied."""
        exam, place = self.exam, self.place or "bus"
        path = shlex.quote(exam.bus.path(self.place) if self.place else exam.bus.root)
        if self.foreign:
            what = f"of another owner than the bus, {self.foreign.of('entry')}"
            exam.problem(place, what, f"as root: `chown -hR {exam.owner} {path}`")
        if self.locked:
            what = f"directories whose own owner may not use them, {self.locked.of('directory')}"
            exam.problem(place, what, f"give back what its owner lost with `chmod u+rwx`, in {path}")
        for tally, mend, fixed in (
            (self.wide, FIX, False),
            (self.narrowed, FIX, True),
            (self.refused, "narrow it as its owner: `chmod go-rwx`", False),
        ):
            if tally:
                what = f"others may use it (wider than 0700 for directories, 0600 for files), {tally.of('entry')}"
                exam.problem(place, what, mend, fixed=fixed)


def narrow(exam: Examination, fd: int) -> None:
    """Take away what a mode gives beyond its owner's own use, of what is open and ours."""
    info = exam.disk.fstat(fd)
    if info.st_uid == exam.owner and is_wide(info):
        exam.disk.chmod(fd, info.st_mode & _limit(info))


def is_wide(info: os.stat_result) -> bool:
    """True where more than its owner's reading and writing (of directories: and entering) is allowed."""
    return bool(stat.S_IMODE(info.st_mode) & ~_limit(info))


def is_locked(info: os.stat_result) -> bool:
    """True for a directory that its own owner may not list, change or enter."""
    return info.st_mode & DIRECTORY != DIRECTORY


def shown(info: os.stat_result) -> str:
    """A mode as chmod takes it."""
    return f"{stat.S_IMODE(info.st_mode):04o}"


def _limit(info: os.stat_result) -> int:
    return DIRECTORY if stat.S_ISDIR(info.st_mode) else FILE


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.examine.findings import Examination
