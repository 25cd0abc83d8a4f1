"""The directory of this machine for the bus, in which the hooks keep the state of sessions.

A symlink or a directory that others may write in is not used there: then each prompt starts Python. So nothing is
lost, but somebody may have put it there, and each prompt costs more.
"""

from __future__ import annotations

import os
import shlex
import stat

from agentmail.core import names
from agentmail.core.fs import Handle, reason
from agentmail.doctor.modes import shown
from agentmail.ledger.machine import LOCAL, holds_machine_files, local_parts

SUBJECT = "this machine"
HOOKS = "hooks"
#: The only symlink among the state of a session: to the inbox.
INBOX_LINK = "inbox"
COST = "so the hooks keep no state there, and each prompt starts Python"


def local_state(exam: Examination) -> None:
    """Check every directory on the way to the state, and each file of it; nothing is created or changed."""
    if not exam.home:
        return
    agents = os.path.join(exam.home, ".agents")
    if holds_machine_files(exam.bus.root, agents):
        exam.note(SUBJECT, f"the bus holds ~/.agents, {COST}", "keep the bus in a directory of its own")
        return
    try:
        with exam.disk.directory(agents, follow=True) as folder:
            _descend(exam, folder, agents, (LOCAL, *local_parts(exam.bus.root), HOOKS))
    except FileNotFoundError:
        return


def _descend(exam: Examination, parent: int, path: str, names_below: tuple[str, ...]) -> None:
    if not names_below:
        for name in exam.disk.names(parent):
            session = _opened(exam, parent, path, name)
            if session is not None:
                with session as fd:
                    _files(exam, fd, os.path.join(path, name))
        return
    handle = _opened(exam, parent, path, names_below[0])
    if handle is not None:
        with handle as fd:
            _descend(exam, fd, os.path.join(path, names_below[0]), names_below[1:])


def _opened(exam: Examination, parent: int, path: str, name: str) -> Handle | None:
    """A directory of the state; None where it is missing, and after a finding where it cannot be used."""
    full = os.path.join(path, name)
    info = exam.disk.stat_or_none(name, parent)
    if info is None:
        return None
    if not stat.S_ISDIR(info.st_mode):
        _not_ours(exam, full, info)
        return None
    if info.st_uid != exam.owner or info.st_mode & 0o022:
        what = f"others may write in {names.printable(full)} (mode {shown(info)}), {COST}"
        exam.problem(SUBJECT, what, f"`chmod go-w {shlex.quote(full)}`, or remove it if it is not yours")
    try:
        return exam.disk.directory(name, parent)
    except OSError as error:
        exam.problem(SUBJECT, f"{names.printable(full)} cannot be opened: {reason(error)}", _removed(full))
        return None


def _files(exam: Examination, session: int, path: str) -> None:
    for name in exam.disk.names(session):
        info = exam.disk.stat_or_none(name, session)
        if info is not None and name != INBOX_LINK and not stat.S_ISREG(info.st_mode):
            _not_ours(exam, os.path.join(path, name), info)


def _not_ours(exam: Examination, path: str, info: os.stat_result) -> None:
    kind = "a symlink" if stat.S_ISLNK(info.st_mode) else "of the wrong kind"
    exam.problem(SUBJECT, f"{names.printable(path)} is {kind}, {COST}", _removed(path))


def _removed(path: str) -> str:
    return f"look at it with ls -ld, then remove it: {shlex.quote(path)}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.doctor.findings import Examination
