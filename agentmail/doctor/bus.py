"""The bus directory: its existence, owner and mode, and the entries in it that are not mailboxes."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from functools import partial

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import is_file
from agentmail.core.layout import FORMER, INBOX, REGISTRY
from agentmail.core.removing import CHANGED, remove_same
from agentmail.core.retention import STALE_NS
from agentmail.doctor.filesystem import PREFIX
from agentmail.doctor.findings import FIX, Kinds, remedy
from agentmail.doctor.modes import Modes, is_locked, is_wide, narrow, shown

SUBJECT = "bus"
#: Prefixes of files that an interrupted write leaves in the bus directory: a new registry, a probe.
LEFTOVERS = (f".{REGISTRY}.tmp-", PREFIX)
#: Prefix of the names of version control, which sets their modes itself.
VERSION_CONTROL = ".git"


def opened(exam: Examination) -> Handle | None:
    """The open bus directory, or None after one finding that says why it cannot be opened."""
    handle = None
    try:
        handle = exam.bus.open()
        # The bus has to work for its owner, so root checks it as that owner.
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
        # Files that root creates would belong to root, and the owner could not use them.
        exam.fix = False
        what = f"belongs to another user (uid {exam.owner}), so nothing is fixed as root"
        exam.note(SUBJECT, what, "run `agentmail doctor --fix` as that user")
    return handle


def _closed(exam: Examination, error: OSError) -> None:
    """Report why it cannot be opened: another owner, as its parent directory shows, or the system error."""
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
    """Check the mode of the directory, who may replace it, and every entry in it."""
    _fix_only_a_bus(exam, root)
    _own_mode(exam, root)
    exam.guard(SUBJECT, partial(_above, exam))
    modes, kinds = Modes(exam, SUBJECT, root), Kinds(exam, SUBJECT)
    half = kinds.problem(
        "directory",
        "with an inbox and a name that no identity can have, so its mail is shown to nobody",
        "register a name of a-z, 0-9 and inner dashes, and move the messages there",
    )
    strangers = kinds.note(
        "entry", "neither a mailbox nor a file of agentmail, left as found", "keep other files elsewhere"
    )
    for name in exam.disk.names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None:
            continue
        if names.is_identity(name):
            _mailbox_entry(exam, name, info)
        elif name not in (REGISTRY, FORMER):
            is_half = stat.S_ISDIR(info.st_mode) and exam.disk.exists(f"{name}/{INBOX}", root)
            (half if is_half else strangers).add(name)
            continue
        modes.look(name, info)
    _hidden(exam, root, modes, kinds)
    modes.report()
    kinds.report()


def _fix_only_a_bus(exam: Examination, root: int) -> None:
    """Fix nothing without a registry: AGENT_MAIL_DIR may be wrong, and the modes of a home directory must stay."""
    wanted, exam.fix = exam.fix, False
    if wanted and not exam.disk.exists(REGISTRY, root):
        what = f"there is no {REGISTRY}, so this may not be a bus, and nothing is fixed"
        exam.problem(SUBJECT, what, "set AGENT_MAIL_DIR to the bus; if this is the bus, register an identity")
    else:
        exam.fix = wanted


def _own_mode(exam: Examination, root: int) -> None:
    info = exam.disk.fstat(root)
    path = shlex.quote(exam.bus.root)
    if is_locked(info):
        what = f"closed to its own owner in part or entirely (mode {shown(info)})"
        exam.problem(SUBJECT, what, f"`chmod u+rwx {path}`")
    if exam.keeps_modes and is_wide(info):
        failed = exam.try_fix(partial(narrow, exam, root)) if exam.fix else ""
        why = f"; not fixed: {failed}" if failed else ""
        what = f"open to others (mode {shown(info)}, not 0700){why}"
        fix = f"`chmod 700 {path}`" if failed else FIX
        exam.problem(SUBJECT, what, fix, fixed=exam.fix and not failed)
    elif exam.keeps_modes:
        exam.enclosed = exam.disk.exists(VERSION_CONTROL, root)


def _above(exam: Examination) -> None:
    """Report a parent directory in which others may write: they could replace the bus."""
    parent = os.path.dirname(os.path.realpath(exam.bus.root))
    with exam.disk.directory(parent, follow=True) as above:
        info = exam.disk.fstat(above)
    if exam.keeps_modes and info.st_mode & 0o022 and not info.st_mode & stat.S_ISVTX:
        what = f"others may write in {parent} (mode {shown(info)}), so they can replace the bus"
        exam.note(SUBJECT, what, f"`chmod go-w {shlex.quote(parent)}`")


def _mailbox_entry(exam: Examination, name: str, info: os.stat_result) -> None:
    """Report a mailbox name whose entry is not a directory."""
    if not stat.S_ISDIR(info.st_mode):
        kind = "a symlink" if stat.S_ISLNK(info.st_mode) else "not a directory"
        what = f"has the name of a mailbox and is {kind}, so it gets no mail"
        exam.problem(name, what, f"move it away, then register {name} again")


def _hidden(exam: Examination, root: int, modes: Modes, kinds: Kinds) -> None:
    """Check our hidden files; files of an interrupted write are removed once they are old by the file system's clock."""
    what = "left by an interrupted write, harmless"
    dead, reaped = kinds.note("file", what, FIX), kinds.note("file", what, FIX, fixed=True)
    for name in exam.disk.hidden_names(root):
        info = exam.disk.stat_or_none(name, root)
        if info is None or name.startswith(VERSION_CONTROL):
            continue
        if not _is_dead(exam, name, info):
            modes.look(name, info)
        elif exam.fix and not exam.try_fix(partial(_remove, exam, name, root, info)):
            reaped.add(name)
        else:
            dead.add(name)


def _remove(exam: Examination, name: str, root: int, info: os.stat_result) -> None:
    if remove_same(exam.disk, name, root, info) == CHANGED:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), name)


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
