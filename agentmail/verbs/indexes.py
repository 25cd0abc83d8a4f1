"""The indexes of this machine for the bus: who could read them, whether their rows are true, whose mailbox they are of.

A file that was edited in its place in the archive or among the sent copies is found here alone: no view looks at each.
"""

from __future__ import annotations

import os
import shlex
import stat

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.core.roster import mailboxes, open_mailbox
from agentmail.doctor.findings import FIX
from agentmail.doctor.local_state import SUBJECT
from agentmail.ledger.machine import local_directory
from agentmail.views.index.file import FOLDER, IndexFile, is_private


def indexes(exam: Examination) -> None:
    """Check every index that there is; one that is wrong is removed with `--fix`, and made anew when it is needed."""
    if not exam.home:
        return
    try:
        with local_directory(exam.disk, exam.home, exam.bus.root, FOLDER) as folder:
            found = [(name, exam.disk.stat(name, folder)) for name in exam.disk.names(folder)]
    except OSError:
        return  # there is none, or the state of this machine is reported as unusable
    for name, info in sorted(found):
        identity = name.removesuffix(".db")
        if name != identity and names.is_identity(identity):
            what = _wrong(exam, identity, info)
            if what:
                _report(exam, IndexFile(exam.disk, exam.home, exam.bus.root, identity), what)


def _report(exam: Examination, file: IndexFile, what: str) -> None:
    why = exam.try_fix(file.remove) if exam.fix else ""
    fix = f"remove it: rm {shlex.quote(file.path)} ({why})" if why else FIX
    exam.problem(SUBJECT, f"the index {names.printable(file.path)} {what}", fix, fixed=exam.fix and not why)


def _wrong(exam: Examination, identity: str, info: os.stat_result) -> str:
    """What is wrong with an index; empty for nothing. One without a seal is not read, and counts as nothing."""
    if not stat.S_ISREG(info.st_mode) or not is_private(info):
        return "can be opened by others, so it is not used"
    try:
        with open_mailbox(exam.bus, identity) as box:
            count = _changed(box, exam.home)
    except (AgentMailError, OSError) as error:
        if identity not in mailboxes(exam.bus):
            return "is of a mailbox that is not there, and holds text of its messages"
        return f"cannot be compared: {reason(error) if isinstance(error, OSError) else error.what}"
    return f"does not know {count} edited files of {identity}/archive or {identity}/sent" if count else ""


def _changed(box: Mailbox, home: str) -> int:
    """How many files of folders that stand as recorded are not as recorded."""
    from agentmail.views.index.changes import edited_in_place
    from agentmail.views.index.opening import open_rows

    connection = open_rows(box, home)
    if connection is None:
        return 0
    try:
        return edited_in_place(box, connection)
    except connection.Error:
        return 0
    finally:
        connection.close()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.doctor.findings import Examination
