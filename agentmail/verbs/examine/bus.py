"""The bus directory itself: there, ours, closed to others; and what stands in it beside mailboxes."""

from __future__ import annotations

import os
import shlex
import stat
from functools import partial

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import INBOX, REGISTRY
from agentmail.core.retention import STALE_NS
from agentmail.verbs.examine.filesystem import PREFIX
from agentmail.verbs.examine.findings import FIX, Tally, remedy
from agentmail.verbs.examine.modes import Modes, is_locked, is_wide, narrow, shown

SUBJECT = "bus"
#: What a write that died can leave in the bus directory: a new registry, a probe.
LEFTOVERS = (f".{REGISTRY}.tmp-", PREFIX)
#: A version control's own names: it sets their modes itself.
VERSION_CONTROL = ".git"


def opened(exam: Examination) -> Handle | None:
    """The bus directory, open, or None after the one finding that says why it is not."""
    try:
        handle = exam.bus.open()
    except AgentMailError as error:
        exam.problem(SUBJECT, error.what, error.next_step)
        return None
    except OSError as error:
        owner = _owner(exam)
        whose = "" if owner in (None, exam.owner) else f": it belongs to another user (uid {owner})"
        what = f"{exam.bus.root} cannot be opened{whose or f': {reason(error)}'}"
        exam.problem(
            SUBJECT,
            what,
            "work as that user, or set AGENT_MAIL_DIR to your own bus" if whose else remedy(error),
        )
        return None
    _take_ownership(exam, handle.fd)
    return handle


def _owner(exam: Examination) -> int | None:
    """Who owns what stands in the bus directory's place, by a look from above."""
    parent, name = os.path.split(exam.bus.root)
    try:
        with exam.disk.directory(parent, follow=True) as above:
            return exam.disk.stat(name, above).st_uid
    except OSError:
        return None


def _take_ownership(exam: Examination, root: int) -> None:
    """The bus's owner is the one whose files these have to be. Root mends nothing for others: what it makes is root's."""
    exam.owner = exam.disk.fstat(root).st_uid
    if exam.fix and exam.owner != os.geteuid():
        exam.fix = False
        what = f"the bus belongs to another user (uid {exam.owner}), so nothing is mended as root"
        exam.note(SUBJECT, what, "run `agentmail doctor --fix` as that user")


def directory(exam: Examination, root: int) -> None:
    """The directory's own mode, who may replace it, and every entry in it."""
    _own_mode(exam, root)
    exam.guard(SUBJECT, lambda: _above(exam))
    modes = Modes(exam, "", root)
    strangers, half = Tally(), Tally()
    for name in exam.disk.names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None:
            continue
        if name == REGISTRY:
            modes.look(name, info)
        elif names.is_identity(name):
            modes.look(name, info)
            _mailbox_place(exam, name, info)
        elif stat.S_ISDIR(info.st_mode) and exam.disk.exists(f"{name}/{INBOX}", root):
            half.add(name)
        else:
            strangers.add(name)
    _hidden(exam, root, modes)
    modes.report()
    _unknown(exam, strangers, half)


def _own_mode(exam: Examination, root: int) -> None:
    info = exam.disk.fstat(root)
    path = shlex.quote(exam.bus.root)
    if is_locked(info):
        what = f"its owner may not list, change or enter all of it (mode {shown(info)})"
        exam.problem(SUBJECT, what, f"`chmod u+rwx {path}`")
    if exam.keeps_modes and is_wide(info):
        failed = exam.mended(lambda: narrow(exam, root)) if exam.fix else ""
        what = (
            f"others may enter it (mode {shown(info)}, not 0700){f'; not mended: {failed}' if failed else ''}"
        )
        mend = f"`chmod 700 {path}`" if failed else FIX
        exam.problem(SUBJECT, what, mend, fixed=exam.fix and not failed)


def _above(exam: Examination) -> None:
    """Who may write in the directory above could put another bus in this one's place."""
    parent = os.path.dirname(os.path.realpath(exam.bus.root))
    with exam.disk.directory(parent, follow=True) as above:
        info = exam.disk.fstat(above)
    if exam.keeps_modes and info.st_mode & 0o022 and not info.st_mode & stat.S_ISVTX:
        what = f"others may write in {parent} (mode {shown(info)}) and so put another directory in its place"
        exam.note(SUBJECT, what, f"`chmod go-w {shlex.quote(parent)}`")


def _mailbox_place(exam: Examination, name: str, info: os.stat_result) -> None:
    if not stat.S_ISDIR(info.st_mode):
        kind = "a symlink" if stat.S_ISLNK(info.st_mode) else "not a directory"
        what = f"stands in the place of a mailbox and is {kind}: no mail goes through it"
        exam.problem(name, what, f"move it away, then register {name} again")


def _hidden(exam: Examination, root: int, modes: Modes) -> None:
    """Hidden names are ours; what a write that died left there goes once it is old by the disk's own clock."""
    dead = Tally()
    reaped = True
    for name in exam.disk.hidden_names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None or name.startswith(VERSION_CONTROL):
            continue
        modes.look(name, info)
        if _is_dead(exam, name, info):
            dead.add(name)
            reaped = exam.fix and not exam.mended(partial(exam.disk.unlink, name, root)) and reaped
    if dead:
        what = f"left behind by writes that never ended, harmless, {dead.of('file')}"
        exam.note(SUBJECT, what, FIX, fixed=reaped)


def _is_dead(exam: Examination, name: str, info: os.stat_result) -> bool:
    return (
        name.startswith(LEFTOVERS)
        and is_file(info)
        and info.st_uid == exam.owner
        and exam.disk_time is not None
        and exam.disk_time - info.st_mtime_ns > STALE_NS
    )


def _unknown(exam: Examination, strangers: Tally, half: Tally) -> None:
    if half:
        what = f"with an inbox, but named as no identity can be, so nobody is shown that mail, {half.of('directory')}"
        exam.problem(
            SUBJECT, what, "register a name of a-z, 0-9 and inner dashes, and move the messages there"
        )
    if strangers:
        what = f"neither mailboxes nor ours, left alone, {strangers.of('entry')}"
        exam.note(SUBJECT, what, "keep other things elsewhere")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Handle
    from agentmail.verbs.examine.findings import Examination
