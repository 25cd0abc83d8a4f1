"""The archive and the sender's copies: every file read, bounded and one at a time; nothing is ever removed."""

from __future__ import annotations

import shlex

from agentmail.core import gz, names, times
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import ARCHIVE
from agentmail.core.retention import is_prunable
from agentmail.core.stored import contents, read_file
from agentmail.message import peek
from agentmail.verbs.check import HEAD
from agentmail.verbs.examine.findings import Tally
from agentmail.verbs.examine.modes import Modes


def handled(exam: Examination, box: Mailbox, folder: str) -> int:
    """Judge every entry of `archive` or `sent`; returns how many there are."""
    look = Shelf(exam, box, folder)
    found = exam.disk.names(look.fd)
    for name in found:
        look.entry(name)
    for name in exam.disk.hidden_names(look.fd):
        info = exam.disk.stat_or_none(name, look.fd)
        if info is not None:
            look.modes.look(name, info)
    look.report()
    return len(found)


class Shelf:
    """The entries of one folder of handled messages, tallied by what is odd about them."""

    def __init__(self, exam: Examination, box: Mailbox, folder: str) -> None:
        self.exam = exam
        self.box = box
        self.folder = folder
        self.fd = box.folder(folder)
        self.place = f"{box.identity}/{folder}"
        self.modes = Modes(exam, self.place, self.fd)
        self.now = exam.now // 10**9
        self.damaged, self.unreadable, self.odd = Tally(), Tally(), Tally()
        self.strangers, self.doubles, self.irregular, self.future = Tally(), Tally(), Tally(), Tally()

    def entry(self, name: str) -> None:
        """Judge one entry; one that vanishes meanwhile was pruned or taken back."""
        info = self.exam.disk.stat_or_none(name, self.fd)
        if info is None:
            return
        self.modes.look(name, info)
        if not is_file(info):
            self.odd.add(name)
            return
        if not is_prunable(name):
            self.strangers.add(name)
        if is_double(name):
            self.doubles.add(name)
        if names.is_id(names.without_suffix(name)) and name.endswith((".md", ".md.gz")):
            self._message(name)

    def _message(self, name: str) -> None:
        seconds = times.seconds_of(names.minute_of(name))
        if seconds is not None and seconds > self.now:
            self.future.add(name)
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

    def report(self) -> None:
        """Make findings of what was tallied."""
        self.modes.report()
        path = shlex.quote(self.box.path(self.folder))
        for tally, noun, what, mend in (
            (self.odd, "entry", "not regular files, never read or removed", "look with ls -l and move them away"),
            (self.damaged, "file", "damaged", f"rescue what `gunzip -c` still reads in {path}, then move them away; we never remove them before their time"),
            (self.unreadable, "file", "that cannot be read", f"look with ls -l in {path}"),
        ):
            if tally:
                self.exam.problem(self.place, f"{what}, {tally.of(noun)}", mend)
        for tally, noun, what, mend in (
            (self.strangers, "file", "unknown names, so never pruned", "move away what is no message"),
            (self.doubles, "file", "another message of the same id was archived before", "compare them with zcat; both are kept"),
            (self.irregular, "message", "with a header in another form than ours, read as far as it goes", "nothing needs doing"),
            (self.future, "message", "stamped with a time to come", "set the clock of the machine that sent them"),
        ):
            if tally:
                self.exam.note(self.place, f"{what}, {tally.of(noun)}", mend)


def is_double(name: str) -> bool:
    """True for the name that archiving gives a second message of one id: `<id>.dup2.md.gz`."""
    stem, dot, number = names.without_suffix(name).rpartition(".dup")
    return bool(dot and stem and number) and names.DIGITS_ONLY.issuperset(number)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.examine.findings import Examination
