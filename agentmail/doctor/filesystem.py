"""What the file system under the bus can do, tried on hidden probe files that are removed again.

Each finding says what a missing ability means for the promises of the bus.
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
#: Endings of the names that the probe gets.
ENDINGS = ("", "-linked", "-renamed", "-free")


def abilities(exam: Examination, root: int) -> None:
    """Try the file system, and keep in the examination what other checks need to know of it."""
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
            _report(exam, Abilities(exam.disk, root, probe, fd))
    finally:
        for ending in ENDINGS:
            exam.disk.discard(probe + ending, root)


def _untried(exam: Examination, error: OSError) -> None:
    exam.takes_no_writes = True
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        what = f"nothing can be written in the bus ({reason(error)}), so nothing can be sent or archived; the file system was not tried, and the age of staging files is unknown"
        exam.problem(SUBJECT, what, f"{remedy(error)}; reading works without it")
    else:
        exam.problem(SUBJECT, f"nothing can be written in the bus: {reason(error)}", remedy(error))


class Abilities:
    """What the file system can do. Each attribute is the outcome of one real attempt."""

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
        """True if a lock of one descriptor excludes another descriptor."""
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
        """True if such a rename takes a free name and refuses a taken one."""
        from agentmail.core.atomic_rename import rename_new

        name, free = f"{self.probe}-renamed", f"{self.probe}-free"
        self.disk.close(self.disk.create(name, self.root).fd)
        try:
            # First a free name: the kernel refuses a taken name itself, on any file system.
            rename_new(self.disk, name, self.root, free, self.root)
            rename_new(self.disk, free, self.root, self.probe, self.root)
        except FileExistsError:
            return True
        except OSError as error:
            if error.errno not in NO_EXCLUSIVE_RENAME:
                raise
        return False


def _report(exam: Examination, found: Abilities) -> None:
    exam.keeps_modes = found.modes
    lacks = [
        (what, fix)
        for lacking, what, fix in (
            (not found.links, *_publishing(found)),
            (not found.syncs_directories, NO_SYNC, "on a network disk, ask the administrator of its server"),
            (not found.locks, NO_LOCKS, "register and `send --once` from one process at a time"),
            (not found.modes, NO_MODES, "mount it so that only you may enter, for example with umask=077"),
            (found.folds_case, FOLDS, "give no two files names that differ only in case"),
            (not found.fine_times, WHOLE_SECONDS, NOTHING),
        )
        if lacking
    ]
    for what, fix in lacks:
        exam.note(SUBJECT, what, fix)
    if not lacks:
        renaming = "" if found.exclusive_rename else " (an exclusive rename does not, and is not needed)"
        what = f"hard links, directory sync, locks, permissions, case and exact times work here{renaming}"
        exam.note(SUBJECT, what)


NO_SYNC = "cannot make names durable: a power cut may take back the last deliveries and archivings"
NO_LOCKS = "has no locks: two programs that change the registry at once may see each other's change late"
NO_MODES = "ignores permissions: everybody with access to this mount can read and change the mail"
FOLDS = "does not tell upper from lower case: our own names are lower case and safe"
WHOLE_SECONDS = "keeps times in whole seconds or coarser; order comes from names, so order is kept"
ONLY_RENAME = "has no hard links: messages are published by exclusive rename, and every promise holds"
NEITHER = (
    "has neither hard links nor exclusive rename: agentmail never tears or replaces a message of its own, "
    "but it may replace a file that another program writes under the same name at the same moment"
)


def _publishing(found: Abilities) -> tuple[str, str]:
    """What is promised without hard links, which depends on the rename that publishes instead."""
    if found.exclusive_rename:
        return ONLY_RENAME, NOTHING
    return NEITHER, "let only agentmail write into mailboxes here, or keep the bus on a local disk"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
    from agentmail.doctor.findings import Examination
