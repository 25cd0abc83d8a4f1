"""The mailboxes, one by one: folders, staging files of dead writers, messages past retention."""

from __future__ import annotations

import os
import shlex
import stat
from functools import partial

from agentmail.core import putting_back, retention
from agentmail.core.errors import Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, FOLDERS, INBOX, SENT, SESSIONS, TMP
from agentmail.core.locks import Locked
from agentmail.core.roster import mailboxes as identities
from agentmail.doctor.archive_and_sent import archive_or_sent
from agentmail.doctor.findings import FIX, Kinds, counted
from agentmail.doctor.inbox import inbox
from agentmail.doctor.modes import Modes, is_locked
from agentmail.ledger.sessions import all_receipts

OURS = (*FOLDERS, SENT, SESSIONS)


def each_mailbox(exam: Examination, root: int) -> None:
    """Check every mailbox; one that cannot be opened stops no other check."""
    days = _retention(exam)
    messages = count = 0
    for identity in identities(exam.bus):
        info = exam.disk.stat_or_none(identity, root)
        # The check of the bus reports a mailbox of another user; its content is private.
        if info is not None and os.geteuid() in (0, info.st_uid):
            one = MailboxExamination(exam, identity, days)
            exam.guard(identity, one.examine)
            messages += one.messages
            count += 1
    exam.looked_at += [counted(count, "mailbox"), counted(messages, "message")]


def _retention(exam: Examination) -> int | None:
    """The days after which messages are pruned; None if they are not pruned."""
    text = exam.environment.retention() if exam.environment else None
    try:
        return retention.days_set(text)
    except Refused as error:
        what = f"{error.what.removeprefix(f'{retention.VARIABLE}: ')}, so nothing is pruned"
        exam.note(retention.VARIABLE, what, error.next_step)
        return None


class MailboxExamination:
    """The examination of one mailbox."""

    def __init__(self, exam: Examination, identity: str, days: int | None) -> None:
        self.exam = exam
        self.identity = identity
        self.days = days
        self.messages = 0

    def examine(self) -> None:
        """Check the folders first: they decide which other checks can run."""
        with self.exam.bus.mailbox(self.identity) as box:
            self._make_missing(box)
            usable = self._folders(box)
            self.exam.guard(self.identity, partial(self._interrupted, box))
            for folder, look in (
                (TMP, self._staging),
                (INBOX, self._inbox),
                (ARCHIVE, partial(self._handled, folder=ARCHIVE)),
                (SENT, partial(self._handled, folder=SENT)),
                (SESSIONS, self._sessions),
            ):
                if folder in usable:
                    self.exam.guard(f"{self.identity}/{folder}", partial(look, box))
            if self.days is not None and ARCHIVE in usable:
                self.exam.guard(self.identity, partial(self._expired, box, self.days))

    def _make_missing(self, box: Mailbox) -> None:
        missing = [name for name in FOLDERS if not self.exam.disk.exists(name, box.fd)]
        if missing:
            fix = self.exam.fix
            failed = self.exam.try_fix(lambda: [box.folder(name) for name in missing]) if fix else ""
            why = f"; not created: {failed}" if failed else ""
            what = f"has no {' and '.join(missing)} (git keeps no empty directories){why}"
            self.exam.problem(self.identity, what, FIX, fixed=fix and not failed)

    def _folders(self, box: Mailbox) -> set[str]:
        """Check the entries of the mailbox itself; returns the folders that are directories."""
        usable = set()
        modes, kinds = Modes(self.exam, self.identity, box.fd), Kinds(self.exam, self.identity)
        strangers = kinds.note(
            "entry",
            "that is not a folder of a mailbox, so never read",
            "move its messages to the inbox, the rest elsewhere",
        )
        closed = kinds.problem(
            "folder",
            "that takes no writes, so mail can be neither delivered nor archived there",
            f"see with `ls -ld` and `lsattr -d` in {shlex.quote(box.path())} what keeps it from being changed",
        )
        for name in self.exam.disk.names(box.fd):
            info = self.exam.disk.stat_or_none(name, box.fd)
            if info is None:
                continue
            if name not in OURS:
                strangers.add(name)
            elif stat.S_ISDIR(info.st_mode):
                usable.add(name)
                modes.look(name, info)
                if not is_locked(info) and not self._takes_writes(name, box.fd):
                    closed.add(name)
            else:
                self._not_a_folder(name, info)
        modes.hidden()
        modes.report()
        kinds.report()
        return usable

    def _takes_writes(self, name: str, parent: int) -> bool:
        """False for a folder on a disk that is mounted read-only, or one that is immutable; once said, it is enough."""
        if self.exam.takes_no_writes:
            return True
        access = self.exam.disk.call("access", os.access, name, os.W_OK, dir_fd=parent)
        return access or self.exam.owner != os.geteuid()

    def _not_a_folder(self, name: str, info: os.stat_result) -> None:
        kind = "a symlink, which is never followed" if stat.S_ISLNK(info.st_mode) else "not a directory"
        fix = f"move it away and put the real directory back (for a new one, {FIX})"
        self.exam.problem(f"{self.identity}/{name}", f"is {kind}", fix)

    def _interrupted(self, box: Mailbox) -> None:
        """Files that a process set aside for removal before it died: nobody sees them until they are put back."""
        found = putting_back.interrupted(box)
        if not found:
            return
        fix = self.exam.fix
        failed = self.exam.try_fix(partial(_settle, box)) if fix else ""
        kinds = Kinds(self.exam, self.identity)
        what = f"hidden since an interrupted removal{failed and '; not put back: '}{failed}"
        kind = kinds.problem("file", what, FIX, fixed=fix and not failed)
        for folder, name in found:
            kind.add(f"{folder}/{name}")
        kinds.report()

    def _staging(self, box: Mailbox) -> None:
        subject, tmp = f"{self.identity}/{TMP}", box.folder(TMP)
        modes = Modes(self.exam, subject, tmp)
        for name in self.exam.disk.names(tmp):
            info = self.exam.disk.stat_or_none(name, tmp)
            if info is not None:
                modes.look(name, info)
        modes.hidden()
        modes.report()
        if self.exam.disk_time is None:
            # The age is measured with a new file beside them; without one, the age is unknown.
            return
        try:
            dead = retention.stale(box)
        except OSError as error:
            what = f"staging files of dead writers were not looked for: {reason(error)}"
            self.exam.note(subject, what, "nothing needs doing; they are harmless")
            return
        if dead:
            self._reap(box, {f"{folder}/{name}" for folder, name in dead})

    def _reap(self, box: Mailbox, dead: set[str]) -> None:
        kinds = Kinds(self.exam, self.identity)
        what = "of a writer that seems dead, harmless"
        held = f"{what}; a live process may hold it" if self.exam.fix else what
        reaped, left = (
            kinds.note("staging file", what, FIX, fixed=True),
            kinds.note("staging file", held, FIX),
        )
        gone = set(retention.reap(box)) if self.exam.fix else set()
        for path in sorted(dead):
            (reaped if path in gone else left).add(path)
        kinds.report()

    def _inbox(self, box: Mailbox) -> None:
        self.messages += inbox(self.exam, box)

    def _handled(self, box: Mailbox, folder: str) -> None:
        self.messages += archive_or_sent(self.exam, box, folder)

    def _sessions(self, box: Mailbox) -> None:
        """Receipts: a directory for each machine, a file for each session, each line a fact."""
        exam, subject, sessions = self.exam, f"{self.identity}/{SESSIONS}", box.folder(SESSIONS)
        machines = Modes(exam, subject, sessions)
        for machine in exam.disk.names(sessions):
            info = exam.disk.stat_or_none(machine, sessions)
            if info is not None:
                machines.look(machine, info)
            if info is not None and stat.S_ISDIR(info.st_mode):
                exam.guard(f"{subject}/{machine}", partial(self._machine, machine, sessions))
        machines.report()
        kinds, unreadable = Kinds(exam, subject), list[str]()
        damaged = kinds.problem(
            "session record",
            "that cannot be read, so its receipts are unknown",
            "move it away; what it held is then no evidence, and what waits is new to that session again",
        )
        for _ in all_receipts(box, unreadable=unreadable):
            pass
        for one in unreadable:
            damaged.add(one.removeprefix(f"{SESSIONS}/"))
        kinds.report()

    def _machine(self, machine: str, sessions: int) -> None:
        disk = self.exam.disk
        with disk.directory(machine, sessions) as fd:
            modes = Modes(self.exam, f"{self.identity}/{SESSIONS}/{machine}", fd)
            for name in disk.names(fd):
                info = disk.stat_or_none(name, fd)
                if info is not None:
                    modes.look(name, info)
            modes.report()

    def _expired(self, box: Mailbox, days: int) -> None:
        count = len(retention.expired(box, days, self.exam.now).removed)
        if count:
            what = f"{counted(count, 'message')} past retention ({days} days)"
            fix = (
                "archiving removes them when it confirms the clock (docs/retention.md); "
                f"`agentmail prune {self.identity} {days}` removes them now"
            )
            self.exam.note(self.identity, what, fix)


def _settle(box: Mailbox) -> None:
    with Locked(box.disk, box.fd):
        putting_back.settle(box)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.doctor.findings import Examination
