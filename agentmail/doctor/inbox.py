"""The inbox: entries that are not messages, messages that cannot be read, messages that are archived already."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.archiving import archive
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.message_files import holds, read_file
from agentmail.doctor.findings import FIX, Kinds
from agentmail.doctor.modes import Modes
from agentmail.message import HEAD, UNREADABLE, peek

IMPOSSIBLE = "with a minute in the name that does not exist, so its position in the list means nothing"
ARCHIVED = "also in the archive (an interrupted archiving)"


def inbox(exam: Examination, box: Mailbox) -> int:
    """Check every entry of the inbox; returns their number."""
    fd = box.folder(INBOX)
    look = Inbox(exam, box, fd)
    found = exam.disk.names(fd)
    for name in exam.walk(found):
        look.entry(name)
    look.modes.hidden()
    look.case(found)
    look.report()
    return len(found)


class Inbox:
    """The entries of one inbox, checked one by one."""

    def __init__(self, exam: Examination, box: Mailbox, inbox: int) -> None:
        self.exam = exam
        self.box = box
        self.fd = inbox
        self.now = exam.now // 10**9
        self.archived = _archived(exam, box)
        self.modes = Modes(exam, f"{box.identity}/{INBOX}", inbox)
        self.kinds = Kinds(exam, f"{box.identity}/{INBOX}")
        self._problems(box.identity)
        self._notes(box.identity)

    def _problems(self, me: str) -> None:
        again = f"see `agentmail read --raw {me} <id>`, ask the sender for it again, then archive it"
        kind = self.kinds.problem
        self.odd = kind(
            "entry", "other than regular files, never read or archived", "look with ls -l, move it away"
        )
        self.unreadable = kind("message", "that cannot be read", "`chmod u+rw` it, as its owner")
        self.empty = kind("message", "that is empty (its writer was interrupted)", again)
        self.headless = kind("message", "with a header that cannot be read", again)
        self.twice = kind("message", ARCHIVED, FIX)
        self.finished = kind("message", ARCHIVED, FIX, fixed=True)
        self.unfinished = kind("message", ARCHIVED, f"`agentmail archive {me} <id>`")

    def _notes(self, me: str) -> None:
        kind = self.kinds.note
        self.strangers = kind(
            "entry",
            "with an unrecognised name, which check lists too",
            "reading it shows the command that gives it the name of a message; or move it away",
        )
        self.irregular = kind(
            "message", "with a header that is not in the canonical form, read as far as possible"
        )
        self.future = kind(
            "message", "with a time in the future, so listed last", "set the clock of the sender's machine"
        )
        self.impossible = kind("message", IMPOSSIBLE, "ask the sender for its time if that matters")
        self.other = kind(
            "message",
            "with an id that another message in the archive has",
            f"`agentmail archive {me} <id>` keeps both",
        )
        self.alike = kind(
            "pair", "of names that differ only in upper and lower case", "rename one of the two"
        )

    def entry(self, name: str) -> None:
        """Check one entry; an entry that vanishes meanwhile was archived."""
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
            self._message(id, info.st_size)

    def _message(self, id: str, size: int) -> None:
        seconds = times.seconds_of(names.minute_of(id))
        if seconds is not None and seconds > self.now:
            self.future.add(id)
        elif seconds is None and names.is_stamped(id):
            self.impossible.add(id)
        try:
            self._header(id, size)
            if not self.archived.isdisjoint((f"{id}.md.gz", f"{id}.md")):
                self._both(id)
        except FileNotFoundError:
            return
        except OSError as error:
            self.unreadable.add(f"{id} ({reason(error)})")
        except AgentMailError as error:
            self.unreadable.add(f"{id} ({error.what})")

    def _header(self, id: str, size: int) -> None:
        _, data = self.exam.disk.peek(f"{id}.md", self.fd, HEAD)
        flags = peek(data or b"").flags
        if size == 0:
            self.empty.add(id)
        elif UNREADABLE in flags:
            self.headless.add(id)
        elif flags:
            self.irregular.add(f"{id} ({', '.join(flags)})")

    def _both(self, id: str) -> None:
        """The id is in the inbox and in the archive: an interrupted archiving, or another message of that id."""
        found = read_file(self.box, INBOX, f"{id}.md")
        if found is None:
            return
        if not any(holds(self.box, ARCHIVE, name, found[0]) for name in (f"{id}.md.gz", f"{id}.md")):
            self.other.add(id)
        elif not self.exam.fix:
            self.twice.add(id)
        else:
            failed = self.exam.try_fix(lambda: archive(self.box, id))
            (self.unfinished if failed else self.finished).add(f"{id} ({failed})" if failed else id)

    def case(self, found: list[str]) -> None:
        """Report names that differ only in case: some file systems take them for one."""
        if all(name.islower() for name in found):
            return
        seen: dict[str, str] = {}
        for name in found:
            first = seen.setdefault(name.casefold(), name)
            if first != name:
                self.alike.add(f"{first} and {name}")

    def report(self) -> None:
        """Add the findings."""
        self.modes.report()
        ids = " ".join(self.twice.shown)
        self.twice.fix = f"`agentmail archive {self.box.identity} {ids}`, or {FIX}"
        self.kinds.report()


def _archived(exam: Examination, box: Mailbox) -> frozenset[str]:
    """The names in the archive; none if it cannot be read, which the check of the archive reports."""
    try:
        archive = box.existing(ARCHIVE)
        return frozenset(exam.disk.names(archive)) if archive is not None else frozenset()
    except OSError:
        return frozenset()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.doctor.findings import Examination
