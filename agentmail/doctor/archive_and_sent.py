"""The archive and the sent copies: every file is read, one at a time and up to a limit; nothing is removed."""

from __future__ import annotations

import shlex

from agentmail.core import gz, names, times
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import SENT
from agentmail.core.message_files import contents, read_file
from agentmail.core.retention import is_fact_file, is_prunable
from agentmail.doctor.findings import Kinds
from agentmail.doctor.inbox import IMPOSSIBLE
from agentmail.doctor.modes import Modes
from agentmail.message import HEAD, peek


def archive_or_sent(exam: Examination, box: Mailbox, folder: str) -> int:
    """Check every entry of `archive` or `sent`; returns their number."""
    look = HandledMessages(exam, box, folder)
    found = exam.disk.names(look.fd)
    for name in exam.walk(found):
        look.entry(name)
    look.modes.hidden()
    look.modes.report()
    look.kinds.report()
    return len(found)


class HandledMessages:
    """The entries of one folder of handled messages, checked one by one."""

    def __init__(self, exam: Examination, box: Mailbox, folder: str) -> None:
        self.exam = exam
        self.box = box
        self.folder = folder
        self.fd = box.folder(folder)
        self.now = exam.now // 10**9
        self.modes = Modes(exam, f"{box.identity}/{folder}", self.fd)
        self.kinds = Kinds(exam, f"{box.identity}/{folder}")
        self._make_kinds(shlex.quote(box.path(folder)))

    def _make_kinds(self, path: str) -> None:
        self.odd = self.kinds.problem(
            "entry", "other than regular files, never read or removed", "look with ls -l, move it away"
        )
        self.damaged = self.kinds.problem(
            "file",
            "damaged, left as found",
            f"save what `gunzip -c` still reads in {path}, then move the rest away",
        )
        self.unreadable = self.kinds.problem("file", "that cannot be read", f"look with ls -l in {path}")
        self.strangers = self.kinds.note(
            "entry", "with an unknown name, so never pruned", "move away files that are not messages"
        )
        self.duplicates = self.kinds.note(
            "file", "archived under an id that was taken", "compare it (zcat) with the file of that id"
        )
        self.irregular = self.kinds.note(
            "message", "with a header that is not in the canonical form, read as far as possible"
        )
        self.future = self.kinds.note(
            "message", "with a time in the future", "set the clock of the sender's machine"
        )
        self.impossible = self.kinds.note("message", IMPOSSIBLE)

    def entry(self, name: str) -> None:
        """Check one entry; an entry that vanishes meanwhile was pruned or unarchived."""
        info = self.exam.disk.stat_or_none(name, self.fd)
        if info is None:
            return
        self.modes.look(name, info)
        if not is_file(info):
            self.odd.add(name)
            return
        if not is_prunable(name) and not (self.folder == SENT and is_fact_file(name)):
            self.strangers.add(name)
        if is_duplicate(name):
            self.duplicates.add(name)
        bare = names.without_suffix(name)
        if bare != name and names.is_id(bare):
            self._message(name)

    def _message(self, name: str) -> None:
        seconds = times.seconds_of(names.minute_of(name))
        if seconds is not None and seconds > self.now:
            self.future.add(name)
        elif seconds is None and names.is_stamped(name):
            self.impossible.add(name)
        try:
            found = read_file(self.box, self.folder, name)
            flags = peek(contents(name, found[0])[:HEAD]).flags if found is not None else ()
        except gz.Damaged as error:
            self.damaged.add(f"{name} ({error})")
        except OSError as error:
            self.unreadable.add(f"{name} ({reason(error)})")
        except AgentMailError as error:
            self.unreadable.add(f"{name} ({error.what})")
        else:
            if flags:
                self.irregular.add(f"{name} ({', '.join(flags)})")


def is_duplicate(name: str) -> bool:
    """True for the name that archiving gives to a second message of the same id: `<id>.dup2.md.gz`."""
    stem, dot, number = names.without_suffix(name).rpartition(".dup")
    return bool(dot and stem and number) and names.DIGITS_ONLY.issuperset(number)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.doctor.findings import Examination
