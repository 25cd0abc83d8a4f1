"""The bus directory itself: there, ours, closed to others; and what stands in it beside mailboxes."""

from __future__ import annotations

import os
import shlex
import stat
from functools import partial

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file
from agentmail.core.layout import INBOX, REGISTRY
from agentmail.core.retention import STALE_NS
from agentmail.doctor.filesystem import PREFIX
from agentmail.doctor.findings import FIX, Kinds, remedy
from agentmail.doctor.modes import Modes, is_locked, is_wide, narrow, shown

SUBJECT = "bus"
#: What a write that died can leave in the bus directory: a new registry, a probe.
LEFTOVERS = (f".{REGISTRY}.tmp-", PREFIX)
#: A version control's own names: it sets their modes itself.
VERSION_CONTROL = ".git"


def opened(exam: Examination) -> Handle | None:
    """The bus directory, open, or None after the one finding that says why it is not."""
    handle = None
    try:
        handle = exam.bus.open()
        # What the bus's owner cannot use is no use, so root looks with that owner's eyes.
        exam.owner = exam.disk.fstat(handle.fd).st_uid
    except AgentMailError as error:
        exam.problem(SUBJECT, error.what, error.next_step)
        return None
    except OSError as error:
        if handle is not None:
            exam.disk.close(handle.fd)
        _closed(exam, error)
        return None
    if exam.fix and exam.owner != os.geteuid():
        # What root would make would be root's, and no use to the owner.
        exam.fix = False
        what = f"belongs to another user (uid {exam.owner}), so nothing is mended as root"
        exam.note(SUBJECT, what, "run `agentmail doctor --fix` as that user")
    return handle


def _closed(exam: Examination, error: OSError) -> None:
    """Say why it does not open: whose it is, by a look from above, else what the system says."""
    parent, name = os.path.split(exam.bus.root)
    try:
        with exam.disk.directory(parent, follow=True) as above:
            owner = exam.disk.stat(name, above).st_uid
    except OSError:
        owner = exam.owner
    if owner == exam.owner:
        exam.problem(
            SUBJECT, f"{exam.bus.root} cannot be opened: {os.strerror(error.errno or 0)}", remedy(error)
        )
    else:
        what = f"{exam.bus.root} belongs to another user (uid {owner})"
        exam.problem(SUBJECT, what, "work as that user, or set AGENT_MAIL_DIR to your own bus")


def directory(exam: Examination, root: int) -> None:
    """The directory's own mode, who may replace it, and every entry in it."""
    _mend_only_a_bus(exam, root)
    _own_mode(exam, root)
    exam.guard(SUBJECT, partial(_above, exam))
    modes, kinds = Modes(exam, SUBJECT, root), Kinds(exam, SUBJECT)
    half = kinds.problem(
        "directory",
        "with an inbox and a name that no identity can have, so nobody is shown its mail",
        "register a name of a-z, 0-9 and inner dashes, and move the messages there",
    )
    strangers = kinds.note("entry", "neither a mailbox nor ours, left alone", "keep other things elsewhere")
    for name in exam.disk.names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None:
            continue
        if names.is_identity(name):
            _place(exam, name, info)
        elif name != REGISTRY:
            is_half = stat.S_ISDIR(info.st_mode) and exam.disk.exists(f"{name}/{INBOX}", root)
            (half if is_half else strangers).add(name)
            continue
        modes.look(name, info)
    _hidden(exam, root, modes, kinds)
    modes.report()
    kinds.report()


def _mend_only_a_bus(exam: Examination, root: int) -> None:
    """AGENT_MAIL_DIR may be mistaken, and the modes of a home directory, or of /, are not ours to narrow."""
    wanted, exam.fix = exam.fix, False
    if wanted and not exam.disk.exists(REGISTRY, root):
        what = f"there is no {REGISTRY}, so this may be no bus at all, and nothing is mended"
        exam.problem(SUBJECT, what, "set AGENT_MAIL_DIR to the bus; where this is it, register somebody")
    else:
        exam.fix = wanted


def _own_mode(exam: Examination, root: int) -> None:
    info = exam.disk.fstat(root)
    path = shlex.quote(exam.bus.root)
    if is_locked(info):
        what = f"closed to its own owner, in part or whole (mode {shown(info)})"
        exam.problem(SUBJECT, what, f"`chmod u+rwx {path}`")
    if exam.keeps_modes and is_wide(info):
        failed = exam.mended(partial(narrow, exam, root)) if exam.fix else ""
        why = f"; not mended: {failed}" if failed else ""
        what = f"open to others (mode {shown(info)}, not 0700){why}"
        mend = f"`chmod 700 {path}`" if failed else FIX
        exam.problem(SUBJECT, what, mend, fixed=exam.fix and not failed)


def _above(exam: Examination) -> None:
    """Who may write in the directory above could put another bus in this one's place."""
    parent = os.path.dirname(os.path.realpath(exam.bus.root))
    with exam.disk.directory(parent, follow=True) as above:
        info = exam.disk.fstat(above)
    if exam.keeps_modes and info.st_mode & 0o022 and not info.st_mode & stat.S_ISVTX:
        what = f"others may write in {parent} (mode {shown(info)}), and so put another directory in its place"
        exam.note(SUBJECT, what, f"`chmod go-w {shlex.quote(parent)}`")


def _place(exam: Examination, name: str, info: os.stat_result) -> None:
    """Where a mailbox should be, there has to be a directory."""
    if not stat.S_ISDIR(info.st_mode):
        kind = "a symlink" if stat.S_ISLNK(info.st_mode) else "no directory"
        what = f"in the place of a mailbox is {kind}: no mail goes through it"
        exam.problem(name, what, f"move it away, then register {name} again")


def _hidden(exam: Examination, root: int, modes: Modes, kinds: Kinds) -> None:
    """Hidden names are ours; what a write that died left there goes once it is old by the disk's own clock."""
    what = "left behind by a write that never ended, harmless"
    dead, reaped = kinds.note("file", what, FIX), kinds.note("file", what, FIX, fixed=True)
    for name in exam.disk.hidden_names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None or name.startswith(VERSION_CONTROL):
            continue
        if not _is_dead(exam, name, info):
            modes.look(name, info)
        elif exam.fix and not exam.mended(partial(exam.disk.unlink, name, root)):
            reaped.add(name)
        else:
            dead.add(name)


def _is_dead(exam: Examination, name: str, info: os.stat_result) -> bool:
    return (
        name.startswith(LEFTOVERS)
        and is_file(info)
        and info.st_uid == exam.owner
        and exam.disk_time is not None
        and exam.disk_time - info.st_mtime_ns > STALE_NS
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Handle
    from agentmail.doctor.findings import Examination
