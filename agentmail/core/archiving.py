"""Move a message from the inbox to the archive, compressed, and back.

The order that makes a crash safe: read; compress and compare; stage beside the final name; sync; publish;
sync the archive directory; remove the inbox file if it is still that message; sync the inbox directory.
After a crash the message is in the inbox or in both folders; archiving it again completes the move.

Why not rename and compress in place: a crash would leave a truncated archive file that blocks every retry.
"""

from __future__ import annotations

import errno

from agentmail.core import gz, names
from agentmail.core.errors import NotFound, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.locks import Locked
from agentmail.core.message_files import contents, find_archived, holds, read_file
from agentmail.core.publishing import TAKEN, Unsynced, publish_new, sync_names
from agentmail.core.removing import CHANGED, remove_same

DUPLICATES = 1000


class Moved:
    """The outcome of a move: the file that holds the message, and whether it was there already."""

    __slots__ = ("already", "name", "note")

    def __init__(self, name: str, already: bool = False, note: str = "") -> None:
        self.name = name
        self.already = already
        self.note = note


def archive(box: Mailbox, id: str) -> Moved:
    """Move a message from the inbox to the archive; an archived message counts as done.

    Why a lock: an archive and an unarchive at once would each see the other's copy, and each remove its own.
    Removing archived messages takes the same lock.
    """
    try:
        with Locked(box.disk, box.fd):
            return _archive(box, id)
    except OSError as error:
        raise _stopped(box, id, "archive", "the message is still in the inbox", error) from error


def _archive(box: Mailbox, id: str) -> Moved:
    try:
        found = read_file(box, INBOX, f"{id}.md") or _left_aside(box, INBOX, f"{id}.md")
        if found is None:
            return _archived_already(box, id)
        data, info = found
        packed = gz.compress(data)
        if gz.expand(packed) != data:
            raise OSError(errno.EIO, "compressing it gave other bytes back")
        moved = _into_archive(box, id, data, packed)
    except Unsynced as error:
        raise _in_both(id, reason(error), "archive it again") from error
    except OSError as error:
        raise _stopped(box, id, "archive", "the message is still in the inbox", error) from error
    _leave_inbox(box, id, data, info)
    return moved


def _left_aside(box: Mailbox, folder: str, name: str) -> tuple[bytes, os.stat_result] | None:
    """The file, if an earlier try died while it removed the name and the file has to have it back."""
    from agentmail.core.putting_back import settle  # rarely needed

    return read_file(box, folder, name) if settle(box, (folder,)) else None


def _archived_already(box: Mailbox, id: str) -> Moved:
    name = find_archived(box, id)
    if name is None:
        raise NotFound(
            f"no message {id} in the inbox or archive of {box.identity}",
            names.NOTHING_CHANGED,
            f"see `agentmail check {box.identity}`",
        )
    _confirm_both(box)
    return Moved(name, already=True)


def _confirm_both(box: Mailbox) -> None:
    """Make a completed move durable: the process that made it may have died before its sync."""
    for name in (INBOX, ARCHIVE):
        folder = box.existing(name)
        if folder is not None:
            sync_names(box.disk, folder)


def _into_archive(box: Mailbox, id: str, data: bytes, packed: bytes) -> Moved:
    """Publish the compressed message under the first name that is free or holds the same message."""
    folder = box.folder(ARCHIVE)
    for number in range(1, DUPLICATES):
        name = f"{id}.md.gz" if number == 1 else f"{id}.dup{number}.md.gz"
        note = (
            "" if number == 1 else f"{id}.md.gz holds something else and was left alone; this one is {name}"
        )
        if publish_new(box.disk, packed, name, folder) != TAKEN:
            return Moved(name, note=note)
        if holds(box, ARCHIVE, name, data):
            # Another process published it, or this one before a crash: it may not be synced yet.
            sync_names(box.disk, folder)
            from agentmail.core import stamps

            stamps.renew(box.disk, name, folder)  # retention counts from now
            return Moved(name, note=note)
    raise OSError(errno.EEXIST, "too many archived messages of that id")


def _leave_inbox(box: Mailbox, id: str, data: bytes, was: os.stat_result) -> None:
    """Remove the message from the inbox, durably; another one that has its name there by now stays."""
    name, inbox = f"{id}.md", box.folder(INBOX)
    try:
        changed = remove_same(box.disk, name, inbox, was, data) == CHANGED
        box.disk.sync_directory(inbox)
        changed = changed or box.disk.exists(name, inbox)
    except OSError as error:
        raise _in_both(id, reason(error), _again(error, "archive it again")) from error
    if changed:
        raise _in_both(
            id, "it changed in the inbox while being archived", "compare the two, then archive again"
        )


def _again(error: OSError, next_step: str) -> str:
    from agentmail.core.putting_back import NotPutBack  # rarely needed

    return "run `agentmail doctor --fix`, which puts it back" if isinstance(error, NotPutBack) else next_step


def _in_both(id: str, why: str, next_step: str) -> Unconfirmed:
    return Unconfirmed(
        f"{id} is archived, but not confirmed out of the inbox: {why}",
        "it may be in both places; nothing is lost",
        next_step,
        id=id,
    )


def _stopped(box: Mailbox, id: str, verb: str, now: str, error: OSError) -> TryAgain:
    return TryAgain(
        f"cannot {verb} {id} of {box.identity}: {reason(error)}", now, "see `agentmail doctor`", id=id
    )


def unarchive(box: Mailbox, id: str) -> Moved:
    """Move a message from the archive back to the inbox, the same bytes."""
    try:
        with Locked(box.disk, box.fd):
            return _unarchive(box, id)
    except OSError as error:
        raise _stopped(box, id, "unarchive", "the message is still in the archive", error) from error


def _unarchive(box: Mailbox, id: str) -> Moved:
    try:
        name = find_archived(box, id)
        if name is None:
            from agentmail.core.putting_back import settle  # rarely needed

            name = find_archived(box, id) if settle(box, (ARCHIVE,)) else None
        found = read_file(box, ARCHIVE, name) if name is not None else None
        if name is None or found is None:
            return _waiting_already(box, id)
        data = contents(name, found[0])
        _into_inbox(box, id, data)
    except gz.Damaged as error:
        raise NotFound(
            f"{id} in the archive of {box.identity} is damaged ({error})",
            "it was left there",
            "save what `gunzip -c` still reads",
        ) from None
    except Unsynced as error:
        raise _back(id, reason(error)) from error
    except OSError as error:
        raise _stopped(box, id, "unarchive", "the message is still in the archive", error) from error
    _leave_archive(box, id, data, name, found)
    return Moved(f"{id}.md")


def _leave_archive(
    box: Mailbox, id: str, data: bytes, name: str, found: tuple[bytes, os.stat_result]
) -> None:
    """Remove the message from the archive, durably; a file that holds something else stays."""
    folder = box.folder(ARCHIVE)
    plain = f"{id}.md"
    try:
        changed = remove_same(box.disk, name, folder, found[1], found[0]) == CHANGED
        if name != plain and holds(box, ARCHIVE, plain, data):
            twin = box.disk.stat_or_none(plain, folder)
            changed |= twin is not None and remove_same(box.disk, plain, folder, twin, data) == CHANGED
        box.disk.sync_directory(folder)
        changed = changed or box.disk.exists(name, folder)
    except OSError as error:
        raise _back(id, reason(error), _again(error, "unarchive it again")) from error
    if changed:
        raise _back(id, "it changed in the archive meanwhile", "compare the two")


def _back(id: str, why: str, next_step: str = "unarchive it again") -> Unconfirmed:
    return Unconfirmed(
        f"{id} is in the inbox, but not confirmed out of the archive: {why}",
        "it may be in both places; nothing is lost",
        next_step,
        id=id,
    )


def _waiting_already(box: Mailbox, id: str) -> Moved:
    if read_file(box, INBOX, f"{id}.md") is None:
        raise NotFound(
            f"no message and no thread {id} in the archive of {box.identity}",
            names.NOTHING_CHANGED,
            f"see `agentmail threads {box.identity}`",
        )
    _confirm_both(box)
    return Moved(f"{id}.md", already=True)


def _into_inbox(box: Mailbox, id: str, data: bytes) -> None:
    """Publish the message in the inbox; the same message there already counts as done.

    Why no claim on the id: no sender takes the id while the message is in the archive, and the message leaves
    the archive only after it is in the inbox. With a claim, a crash would block the next try.
    """
    name, inbox = f"{id}.md", box.folder(INBOX)
    if publish_new(box.disk, data, name, inbox) != TAKEN:
        return
    if not holds(box, INBOX, name, data):
        raise NotFound(
            f"another message {id} is in the inbox of {box.identity}",
            "both were left as they are",
            "archive the one in the inbox first",
        )
    sync_names(box.disk, inbox)


TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from agentmail.core.layout import Mailbox
