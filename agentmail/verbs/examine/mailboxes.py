"""The mailboxes, one by one: their folders, what writers that died left in them, what is past its age."""

from __future__ import annotations

import os
import stat
from functools import partial

from agentmail.core import names, retention
from agentmail.core.errors import Refused
from agentmail.core.fs import reason
from agentmail.core.identities import mailboxes as identities
from agentmail.core.layout import ARCHIVE, FOLDERS, INBOX, RETENTION_DAYS, SENT, SESSIONS, TMP, retention_days
from agentmail.verbs.examine.findings import FIX, Tally, counted
from agentmail.verbs.examine.handled import handled
from agentmail.verbs.examine.modes import Modes
from agentmail.verbs.examine.waiting import waiting

OURS = (*FOLDERS, SENT, SESSIONS)


def mailboxes(exam: Examination, root: int) -> None:
    """Examine every mailbox; one that cannot be opened stops no other."""
    days = _retention(exam)
    messages = count = 0
    for identity in identities(exam.bus):
        if os.geteuid() in (0, exam.disk.stat(identity, root).st_uid):  # else its owner is a finding already
            one = Visit(exam, identity, days)
            exam.guard(identity, one.examine)
            messages += one.messages
            count += 1
    exam.looked_at += [counted(count, "mailbox"), counted(messages, "message")]


def _retention(exam: Examination) -> int | None:
    """After how many days messages are pruned; None where they are not."""
    text = exam.retention
    try:
        return None if text == "off" else RETENTION_DAYS if text is None else retention_days(text)
    except Refused as error:
        what = f"{error.what}, so nothing is pruned"
        exam.note("AGENT_MAIL_RETENTION_DAYS", what, f"{error.next_step}, or `off`")
        return None


class Visit:
    """One mailbox under examination."""

    def __init__(self, exam: Examination, identity: str, days: int | None) -> None:
        self.exam = exam
        self.identity = identity
        self.days = days
        self.messages = 0

    def examine(self) -> None:
        """Its folders first: what is made or found missing there decides what can be looked at."""
        exam = self.exam
        with exam.bus.mailbox(self.identity) as box:
            usable = self._folders(box)
            looks = (
                (TMP, self._staging),
                (INBOX, self._inbox),
                (ARCHIVE, partial(self._handled, ARCHIVE)),
                (SENT, partial(self._handled, SENT)),
                (SESSIONS, self._sessions),
            )
            for folder, look in looks:
                if folder in usable:
                    exam.guard(f"{self.identity}/{folder}", partial(look, box))
            if self.days is not None and ARCHIVE in usable:
                exam.guard(self.identity, partial(self._expired, box, self.days))

    def _folders(self, box: Mailbox) -> set[str]:
        """Judge the entries of the mailbox itself; returns the folders that are there and really folders."""
        disk, usable, strangers = self.exam.disk, set(), Tally()
        modes = Modes(self.exam, self.identity, box.fd)
        missing = [name for name in FOLDERS if not disk.exists(name, box.fd)]
        self._make(box, missing)
        for name in (*disk.names(box.fd), *disk.hidden_names(box.fd)):
            info = disk.stat_or_none(name, box.fd)
            if info is None:
                continue
            if name in OURS and not stat.S_ISDIR(info.st_mode):
                kind = "a symlink, which mail never follows" if stat.S_ISLNK(info.st_mode) else "no directory"
                mend = "move it away and put the real directory back, or run `agentmail doctor --fix` then"
                self.exam.problem(f"{self.identity}/{name}", f"is {kind}", mend)
            elif name in OURS or name[0] == ".":
                usable.add(name)
                modes.look(name, info)
            else:
                strangers.add(name)
        modes.report()
        if strangers:
            what = f"no folders of a mailbox, never looked into, {strangers.of('entry')}"
            self.exam.note(self.identity, what, "move messages in them to the inbox, the rest elsewhere")
        return usable

    def _make(self, box: Mailbox, missing: list[str]) -> None:
        if not missing:
            return
        failed = "" if not self.exam.fix else self.exam.mended(lambda: [box.folder(name) for name in missing])
        what = f"misses {' and '.join(missing)} (a clone keeps no empty directories){f'; not made: {failed}' if failed else ''}"
        self.exam.problem(self.identity, what, FIX, fixed=self.exam.fix and not failed)

    def _staging(self, box: Mailbox) -> None:
        exam, place, tmp = self.exam, f"{self.identity}/{TMP}", box.folder(TMP)
        modes = Modes(exam, place, tmp)
        for name in (*exam.disk.names(tmp), *exam.disk.hidden_names(tmp)):
            info = exam.disk.stat_or_none(name, tmp)
            if info is not None:
                modes.look(name, info)
        modes.report()
        try:
            dead = retention.stale(box)
        except OSError as error:
            # Their age is told by a file made beside them; where nothing can be made, nothing is judged.
            what = f"leftovers of writers that died were not looked for: {reason(error)}"
            exam.note(place, what, "nothing needs doing; they are harmless")
            return
        if dead:
            self._reap(box, [f"{folder}/{name}" for folder, name in dead])

    def _reap(self, box: Mailbox, dead: list[str]) -> None:
        gone = set(retention.reap(box)) if self.exam.fix else set()
        for paths, fixed in ((gone, True), (set(dead) - gone, False)):
            tally = Tally()
            for path in sorted(paths):
                tally.add(path)
            held = "; a live process may hold them" if self.exam.fix and not fixed else ""
            if tally:
                what = f"left behind by writers that seem dead, harmless{held}, {tally.of('file')}"
                self.exam.note(f"{self.identity}/{TMP}", what, FIX, fixed=fixed)

    def _inbox(self, box: Mailbox) -> None:
        self.messages += waiting(self.exam, box)

    def _handled(self, folder: str, box: Mailbox) -> None:
        self.messages += handled(self.exam, box, folder)

    def _sessions(self, box: Mailbox) -> None:
        """Receipts: one directory a machine, one file a session; only who may read them is judged."""
        exam, sessions = self.exam, box.folder(SESSIONS)
        place = f"{self.identity}/{SESSIONS}"
        machines = Modes(exam, place, sessions)
        for machine in exam.disk.names(sessions):
            info = exam.disk.stat_or_none(machine, sessions)
            if info is None or not stat.S_ISDIR(info.st_mode):
                continue
            machines.look(machine, info)
            with exam.disk.directory(machine, sessions) as fd:
                files = Modes(exam, f"{place}/{machine}", fd)
                for name in exam.disk.names(fd):
                    found = exam.disk.stat_or_none(name, fd)
                    if found is not None:
                        files.look(name, found)
                files.report()
        machines.report()

    def _expired(self, box: Mailbox, days: int) -> None:
        count = len(retention.expired(box, days, self.exam.now).removed)
        if count:
            what = f"{counted(count, 'message')} past retention ({days} days)"
            mend = f"archiving removes them in time; `agentmail prune {self.identity}` does now"
            self.exam.note(self.identity, what, mend)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.examine.findings import Examination
