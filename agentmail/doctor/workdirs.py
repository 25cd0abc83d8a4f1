"""The workdirs that registry.md names: shared by several identities, very broad, or no longer there."""

from __future__ import annotations

import os
import shlex

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import waiting_unordered
from agentmail.core.registry import NO_WORKDIR
from agentmail.doctor.findings import counted

#: A directory with more entries than this is not searched for a new name.
SEARCHED = 2000


def workdirs(exam: Examination, found: Registry) -> None:
    """Check the workdir of every row."""
    shared: dict[str, list[str]] = {}
    for row in found.rows.values():
        if row.workdir == NO_WORKDIR:
            continue
        if os.path.isabs(row.workdir):
            workdir = os.path.realpath(row.workdir)
            shared.setdefault(workdir, []).append(row.identity)
            _workdir(exam, row, workdir, found)
        else:
            what = f"its workdir {names.quoted(row.workdir)} is not an absolute path, so no session uses this identity"
            exam.problem(row.identity, what, _registering(row))
    for workdir, owners in shared.items():
        if len(owners) > 1:
            what = f"{', '.join(owners)} have the same workdir {workdir}, so a session there has no clear identity"
            exam.note(
                "registry.md", what, "set AGENT_MAIL_SELF in these sessions, or give each its own workdir"
            )


def _registering(row: Row, workdir: str = "<workdir>") -> str:
    return f"`agentmail register {row.identity} {workdir} {shlex.quote(row.responsibility)}`"


def _workdir(exam: Examination, row: Row, workdir: str, found: Registry) -> None:
    if workdir == "/" or (exam.home and workdir == os.path.realpath(exam.home)):
        what = f"its workdir {row.workdir} is very broad: every session below it uses this identity unless a nearer one is registered"
        exam.note(row.identity, what, _registering(row))
    elif not os.path.isdir(workdir):
        _missing(exam, row, workdir, found)


def _missing(exam: Examination, row: Row, workdir: str, found: Registry) -> None:
    """A workdir that is not there: a problem where mail waits, which no session will be shown.

    On a bus that git carries, it is always a note: the workdir may be on another machine.
    """
    taken = {os.path.realpath(other.workdir) for other in found.rows.values() if os.path.isabs(other.workdir)}
    new = [path for path in _similar(workdir) if path not in taken]
    fix = _registering(row, shlex.quote(new[0])) if len(new) == 1 else _registering(row)
    fix = f"if it was moved: {fix}"
    what = f"its workdir {row.workdir} is not a directory here"
    count = _count_waiting(exam, row.identity)
    if count and not os.path.exists(exam.bus.path(".git")):
        wait = "waits" if count == 1 else "wait"
        exam.problem(
            row.identity, f"{what}, so no session is shown the {counted(count, 'message')} that {wait}", fix
        )
    else:
        exam.note(row.identity, what, fix)


def _count_waiting(exam: Examination, identity: str) -> int:
    try:
        with exam.bus.mailbox(identity) as box:
            return len(waiting_unordered(box))
    except (OSError, AgentMailError):
        return 0  # the check of the mailbox says why


def _similar(path: str) -> list[str]:
    """Where a directory may have gone: the same path with another, similar name at the first part that is missing."""
    above, rest = path, ""
    while above != "/" and not os.path.isdir(above):
        above, name = os.path.split(above)
        rest = os.path.join(name, rest) if rest else name
    name, _, below = rest.partition("/")
    try:
        listed = os.listdir(above)
    except OSError:
        return []
    if len(listed) > SEARCHED:
        return []
    near = [os.path.join(above, one, below).rstrip("/") for one in names.near(name, listed)]
    return [one for one in near if os.path.isdir(one) and not names.has_control(one)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.registry import Registry, Row
    from agentmail.doctor.findings import Examination
