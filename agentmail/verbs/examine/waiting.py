"""An inbox: what in it is no message, what cannot be read, and what is in the archive already."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.archiving import archive
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.stored import holds, read_file
from agentmail.message import UNREADABLE, peek
from agentmail.verbs.check import HEAD
from agentmail.verbs.examine.findings import FIX, Tally
from agentmail.verbs.examine.modes import Modes


def waiting(exam: Examination, box: Mailbox) -> int:
    """Judge every entry of the inbox; returns how many there are."""
    look = Inbox(exam, box)
    found = exam.disk.names(look.fd)
    for name in found:
        look.entry(name)
    for name in exam.disk.hidden_names(look.fd):
        info = exam.disk.stat_or_none(name, look.fd)
        if info is not None:
            look.modes.look(name, info)
    look.case(found)
    look.report()
    return len(found)


class Inbox:
    """The entries of one inbox, tallied by what is odd about them."""

    def __init__(self, exam: Examination, box: Mailbox) -> None:
        self.exam = exam
        self.box = box
        self.fd = box.folder(INBOX)
        self.place = f"{box.identity}/{INBOX}"
        self.modes = Modes(exam, self.place, self.fd)
        archive = box.existing(ARCHIVE) if exam.disk.exists(ARCHIVE, box.fd) else None
        self.archived = frozenset(exam.disk.names(archive)) if archive is not None else frozenset()
        self.now = exam.now // 10**9
        self.strangers, self.odd, self.empty, self.unreadable = Tally(), Tally(), Tally(), Tally()
        self.headless, self.irregular, self.future, self.alike = Tally(), Tally(), Tally(), Tally()
        self.twice, self.finished, self.unfinished, self.other = Tally(), Tally(), Tally(), Tally()

    def entry(self, name: str) -> None:
        """Judge one entry; one that vanishes meanwhile was archived by somebody."""
        info = self.exam.disk.stat_or_none(name, self.fd)
        if info is None:
            return
        self.modes.look(name, info)
        id = names.without_suffix(name)
        if not is_file(info):
            self.odd.add(name)
        elif not name.endswith(".md") or not names.is_id(id):
            self.strangers.add(name)
        else:
            self._message(name, id, info.st_size)

    def _message(self, name: str, id: str, size: int) -> None:
        seconds = times.seconds_of(names.minute_of(id))
        if seconds is not None and seconds > self.now:
            self.future.add(id)
        try:
            with self.exam.disk.file(name, self.fd) as fd:
                flags = peek(self.exam.disk.read_once(fd, HEAD)).flags
            if size == 0:
                self.empty.add(id)
            elif UNREADABLE in flags:
                self.headless.add(id)
            elif flags:
                self.irregular.add(f"{id} ({', '.join(flags)})")
            for packed in (f"{id}.md.gz", f"{id}.md"):
                if packed in self.archived:
                    self._both(id, packed)
                    break
        except FileNotFoundError:
            return
        except OSError as error:
            self.unreadable.add(f"{name} ({reason(error)})")
        except AgentMailError as error:
            self.unreadable.add(f"{name} ({error.what})")

    def _both(self, id: str, packed: str) -> None:
        """In the inbox and in the archive: an archiving that never ended, or another message of that name."""
        found = read_file(self.box, INBOX, f"{id}.md")
        if found is None:
            return
        if not holds(self.box, ARCHIVE, packed, found[0]):
            self.other.add(id)
        elif not self.exam.fix:
            self.twice.add(id)
        else:
            failed = self.exam.mended(lambda: archive(self.box, id))
            if failed:
                self.unfinished.add(f"{id} ({failed})")
            else:
                self.finished.add(id)

    def case(self, found: list[str]) -> None:
        """Names that a file system without upper and lower case takes for one."""
        if any(not name.islower() for name in found):
            seen: dict[str, str] = {}
            for name in found:
                if seen.setdefault(name.casefold(), name) != name:
                    self.alike.add(f"{seen[name.casefold()]} and {name}")

    def report(self) -> None:
        """Make findings of what was tallied."""
        self.modes.report()
        me = self.box.identity
        again = f"see what is left with `agentmail read --raw {me} <id>`, ask the sender to send again, then archive it"
        finish = f"`agentmail archive {me} {' '.join(self.twice.shown)}`, or {FIX}"
        for tally, noun, what, mend in (
            (self.odd, "entry", "not regular files, so they are never read or archived", "look with ls -l and move them away"),
            (self.empty, "message", "empty: whoever wrote them died before the text", again),
            (self.headless, "message", "with a header that cannot be read", again),
            (self.unreadable, "message", "that cannot be read", "give them back to their owner: `chmod u+rw`"),
            (self.twice, "message", "in the archive as well: an archiving that never ended", finish),
            (self.unfinished, "message", "in the archive as well, and not archived to the end", f"`agentmail archive {me} <id>`"),
        ):
            if tally:
                self.exam.problem(self.place, f"{what}, {tally.of(noun)}", mend)
        if self.finished:
            what = f"in the archive as well: an archiving that never ended, {self.finished.of('message')}"
            self.exam.problem(self.place, what, FIX, fixed=True)
        self._notes(me)

    def _notes(self, me: str) -> None:
        for tally, noun, what, mend in (
            (self.strangers, "entry", "unrecognised names, listed by check but no messages of ours", "look at them; a conflicted copy may be a message: rename it as the others"),
            (self.irregular, "message", "with a header in another form than ours, read as far as it goes", "nothing needs doing"),
            (self.future, "message", "stamped with a time to come, so listed last", "set the clock of the machine that sent them"),
            (self.other, "message", "of a name that the archive has for another message", f"`agentmail archive {me} <id>` keeps both"),
            (self.alike, "pair", "names that differ only in upper and lower case: one of each is lost on a disk that folds it", "rename one of each"),
        ):
            if tally:
                self.exam.note(self.place, f"{what}, {tally.of(noun)}", mend)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.examine.findings import Examination
