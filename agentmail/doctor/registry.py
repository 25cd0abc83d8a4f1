"""registry.md: its own rows, compared with the mailboxes."""

from __future__ import annotations

import os
import shlex
import stat
from functools import partial

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.former import no_longer
from agentmail.core.fs import reason
from agentmail.core.layout import FOLDERS, REGISTRY
from agentmail.core.markdown_table import CONFLICT_MARKS, lines_of
from agentmail.core.registry import FOR_PEOPLE_AND_PROGRAMS, Registry, decoded
from agentmail.core.registry_edit import refuse_planted_link
from agentmail.core.roster import mailboxes, registry_bytes
from agentmail.doctor.findings import FIX, remedy
from agentmail.doctor.workdirs import workdirs


def registry(exam: Examination, root: int) -> None:
    """Read the registry and check its rows; one that cannot be read is a problem, never an empty registry."""
    exam.looked_at.append("registry")
    text = _text(exam, root)
    if text is None:
        return
    if any(line.startswith(CONFLICT_MARKS) for line in lines_of(text)):
        what = "holds the marks of a merge conflict, and nothing can be registered until it is resolved"
        exam.problem(REGISTRY, what, "keep the rows of both sides, remove the marks, then look again")
        # A mark ends the table, so the rows below it are not read; to call them missing would be wrong.
        return
    found = Registry(text)
    _rows(exam, found)
    _against_mailboxes(exam, found, root)
    workdirs(exam, found)


def _text(exam: Examination, root: int) -> str | None:
    """The registry's text, empty if there is none; None after the finding that says why it cannot be read."""
    linked = _is_symlink(exam, root)
    try:
        data = registry_bytes(exam.bus)
        refuse_planted_link(exam.bus.path(REGISTRY), data)
        return decoded(data) if data is not None else ""
    except Refused as error:
        exam.problem(REGISTRY, error.what.removeprefix(f"{REGISTRY} "), error.next_step)
    except OSError as error:
        what = f"{'is a symlink, and its target ' if linked else ''}cannot be read: {reason(error)}"
        exam.problem(REGISTRY, what, "put the file back in its place" if linked else remedy(error))
    return None


def _is_symlink(exam: Examination, root: int) -> bool:
    """True if the registry is a symlink; people may keep the file elsewhere, but it has to be theirs."""
    info = exam.disk.stat_or_none(REGISTRY, root)
    if info is None or not stat.S_ISLNK(info.st_mode):
        return False
    try:
        owner = exam.disk.call("stat", os.stat, REGISTRY, dir_fd=root).st_uid
    except OSError:
        return True  # reading it says why
    if owner != exam.owner:
        what = f"is a symlink to a file of another user (uid {owner}), so nothing can be registered"
        exam.problem(REGISTRY, what, "put a file of your own in its place")
    return True


def _rows(exam: Examination, found: Registry) -> None:
    for identity in dict.fromkeys(found.duplicates):
        exam.problem(REGISTRY, f"has several rows for {identity}; the first counts", "remove the others")
    for text in dict.fromkeys(found.refused):
        word = names.as_word(text, names.IDENTITY_MAX)
        hint = f"call it {word}" if names.is_identity(word) else "choose a name of a-z, 0-9 and inner dashes"
        what = f"has a row for {names.quoted(text)}, which is not an identity, so the row is ignored"
        exam.problem(REGISTRY, what, hint)
    for row in found.rows.values():
        if row.identity in FOR_PEOPLE_AND_PROGRAMS and not row.kind:
            what = "has a name that is reserved for people and programs, and its row does not say which it is"
            again = f"`agentmail register {row.identity} {shlex.quote(row.workdir)} {shlex.quote(row.responsibility)} --kind human` (or program)"
            exam.note(row.identity, what, f"{again}, or `agentmail rename {row.identity} <new-id>`")
    if found.unclosed:
        what = f"has a code block or comment that begins on line {found.unclosed} and never ends: no row below it is read"
        exam.problem(REGISTRY, what, "end it with the same mark on a line of its own, or with -->")
    if found.outside:
        more = f" and {len(found.outside) - 5} more" if len(found.outside) > 5 else ""
        listed = ", ".join(map(str, found.outside[:5])) + more
        what = f"has lines that begin like a row and belong to no table, so they are not read (line {listed})"
        exam.problem(
            REGISTRY, what, "join them to the table: no empty line and nothing else between its rows"
        )


def _against_mailboxes(exam: Examination, found: Registry, root: int) -> None:
    boxes = set(mailboxes(exam.bus))
    for identity in found.rows:
        # The check of the bus reports an entry that is not a directory.
        if exam.disk.exists(identity, root):
            continue
        gone = no_longer(exam.bus, identity)
        if gone is not None:
            what = f"{gone.what.removeprefix(f'{identity} ')}, and its row is still there: a command was interrupted"
            exam.problem(identity, what, _again(identity, gone))
        else:
            failed = exam.try_fix(partial(_make, exam, identity)) if exam.fix else ""
            what = f"has a row but no mailbox{f'; not created: {failed}' if failed else ''}"
            exam.problem(identity, what, FIX, fixed=exam.fix and not failed)
    for identity in sorted(boxes.difference(found.rows)):
        gone = no_longer(exam.bus, identity)
        if gone is not None:
            what = f"{gone.what.removeprefix(f'{identity} ')}, but it has a mailbox, where nobody looks"
            exam.problem(identity, what, _again(identity, gone))
            continue
        what = f"has a mailbox but no row in {REGISTRY}: it gets mail, but its owner is unknown"
        exam.problem(identity, what, f"`agentmail register {identity} <workdir> <responsibility>`")
    if not boxes and not found.rows:
        exam.note(
            REGISTRY, "nobody is registered yet", "`agentmail register <id> <workdir> <responsibility>`"
        )


def _again(identity: str, gone: UnknownIdentity) -> str:
    """The command that completes what made it a former identity."""
    new = gone.details.get("renamed_to")
    return f"`agentmail rename {identity} {new}`" if new else f"`agentmail unregister {identity}`"


def _make(exam: Examination, identity: str) -> None:
    with exam.bus.mailbox(identity, make=True) as box:
        for folder in FOLDERS:
            box.folder(folder)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.errors import UnknownIdentity
    from agentmail.doctor.findings import Examination
