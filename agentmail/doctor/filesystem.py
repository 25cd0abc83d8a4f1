"""What the file system under the bus can do, found out by doing it: on hidden probe files, removed again.

What each ability is for, and what is promised without it, stands in the finding.
"""

from __future__ import annotations

import errno
import os
import stat

from agentmail.core.fs import NO_DIRECTORY_SYNC, NO_HARD_LINKS, reason
from agentmail.core.locks import try_lock
from agentmail.core.publishing import NO_EXCLUSIVE_RENAME
from agentmail.doctor.findings import NOTHING, remedy
from agentmail.doctor.modes import FILE

SUBJECT = "file system"
SECOND_NS = 10**9
PREFIX = ".probe-"
#: Beside the probe itself: the names it gets or shares the directory with on the way.
ENDINGS = ("", "-linked", "-renamed", "-free")


def abilities(exam: Examination, root: int) -> None:
    """Try the file system; leave what others need to know of it in the examination."""
    exam.looked_at.append(SUBJECT)
    probe = f"{PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
    try:
        handle = exam.disk.create(probe, root)
    except OSError as error:
        _untried(exam, error)
        return
    try:
        with handle as fd:
            exam.disk_time = exam.disk.fstat(fd).st_mtime_ns
            _report(exam, Trial(exam.disk, root, probe, fd))
    finally:
        for ending in ENDINGS:
            exam.disk.discard(probe + ending, root)


def _untried(exam: Examination, error: OSError) -> None:
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        what = f"nothing can be written in the bus ({reason(error)}), so neither the file system was tried nor the age of staging files"
        exam.note(SUBJECT, what, f"to send and archive, {remedy(error)}; reading works without")
    else:
        exam.problem(SUBJECT, f"nothing can be written in the bus: {reason(error)}", remedy(error))


class Trial:
    """What worked. Each attribute is the outcome of one real attempt."""

    def __init__(self, disk: Disk, root: int, probe: str, fd: int) -> None:
        self.disk = disk
        self.root = root
        self.probe = probe
        self.modes = self._modes(fd)
        self.fine_times = bool(disk.fstat(fd).st_mtime_ns % SECOND_NS)
        self.locks = self._locks(fd)
        self.folds_case = disk.exists(probe.upper(), root)
        self.syncs_directories = self._syncs_directories()
        self.links = self._links()
        self.exclusive_rename = self._exclusive_rename()

    def _modes(self, fd: int) -> bool:
        try:
            self.disk.chmod(fd, FILE)
        except OSError:
            return False
        return stat.S_IMODE(self.disk.fstat(fd).st_mode) == FILE

    def _locks(self, fd: int) -> bool:
        """A lock that a second opening gets too is none."""
        said = len(self.disk.notes)
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        second = self.disk.call("open", os.open, self.probe, flags, dir_fd=self.root)
        try:
            return try_lock(self.disk, fd) and not try_lock(self.disk, second)
        finally:
            self.disk.close(second)
            del self.disk.notes[said:]

    def _syncs_directories(self) -> bool:
        try:
            self.disk.call("fsyncdir", os.fsync, self.root)
        except OSError as error:
            if error.errno not in NO_DIRECTORY_SYNC:
                raise
            return False
        return True

    def _links(self) -> bool:
        try:
            self.disk.link(self.probe, self.root, f"{self.probe}-linked", self.root)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            return False
        return True

    def _exclusive_rename(self) -> bool:
        """True where such a rename takes a name that is free and refuses one that is taken."""
        from agentmail.core.atomic_rename import rename_new

        name, free = f"{self.probe}-renamed", f"{self.probe}-free"
        self.disk.close(self.disk.create(name, self.root).fd)
        try:
            # The free name first: a taken one the kernel itself refuses, whatever the file system can.
            rename_new(self.disk, name, self.root, free, self.root)
            rename_new(self.disk, free, self.root, self.probe, self.root)
        except FileExistsError:
            return True
        except OSError as error:
            if error.errno not in NO_EXCLUSIVE_RENAME:
                raise
        return False


def _report(exam: Examination, trial: Trial) -> None:
    exam.keeps_modes = trial.modes
    lacks = [
        (what, mend)
        for lacking, what, mend in (
            (not trial.links, *_publishing(trial)),
            (not trial.syncs_directories, NO_SYNC, "on a network disk, ask whoever runs its server"),
            (not trial.locks, NO_LOCKS, "register and `send --once` from one process at a time"),
            (not trial.modes, NO_MODES, "mount it so that only you may enter, for example with umask=077"),
            (trial.folds_case, FOLDS, "give no two files by hand names that differ only so"),
            (not trial.fine_times, WHOLE_SECONDS, NOTHING),
        )
        if lacking
    ]
    for what, mend in lacks:
        exam.note(SUBJECT, what, mend)
    if not lacks:
        renaming = "" if trial.exclusive_rename else " (an exclusive rename does not, and is not needed)"
        what = f"hard links, directory sync, locks, permissions, case and exact times work here{renaming}"
        exam.note(SUBJECT, what)


NO_SYNC = "cannot make names durable: a power cut may take back the last deliveries and archivings"
NO_LOCKS = "has no locks: two that change the registry at once may see each other's work late"
NO_MODES = "ignores permissions: whoever reaches this mount can read and change the mail"
FOLDS = "does not tell upper from lower case: our own names are lower case and safe"
WHOLE_SECONDS = "keeps times in whole seconds or coarser; order comes from names, so it stands"
ONLY_RENAME = "has no hard links: messages are published by exclusive rename, and every promise holds"
NEITHER = (
    "has neither hard links nor exclusive rename: senders of ours never tear or replace a message, "
    "another program that writes the same name in that moment could"
)


def _publishing(trial: Trial) -> tuple[str, str]:
    """What holds without hard links, by what else a delivery publishes a message with."""
    if trial.exclusive_rename:
        return ONLY_RENAME, NOTHING
    return NEITHER, "let only agentmail write into mailboxes here, or keep the bus on a local disk"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
    from agentmail.doctor.findings import Examination
