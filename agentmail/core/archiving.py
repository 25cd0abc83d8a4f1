"""Move a message from the inbox to the archive, compressed, and back.

The order that makes a crash safe: read; compress and compare; stage beside the final name; sync; publish;
sync the archive directory; check that the inbox file is unchanged; unlink it; sync the inbox directory.
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
        found = read_file(box, INBOX, f"{id}.md")
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
    _leave_inbox(box, id, info)
    return moved


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


def _leave_inbox(box: Mailbox, id: str, was: os.stat_result) -> None:
    """Remove the message from the inbox, durably, if it is unchanged since it was read."""
    inbox = box.folder(INBOX)
    try:
        now = box.disk.stat_or_none(f"{id}.md", inbox)
        if now is not None and not _unchanged(was, now):
            raise _in_both(
                id, "it changed in the inbox while being archived", "compare the two, then archive again"
            )
        box.disk.unlink(f"{id}.md", inbox)
        box.disk.sync_directory(inbox)
    except OSError as error:
        raise _in_both(id, reason(error), "archive it again") from error


def _unchanged(was: os.stat_result, now: os.stat_result) -> bool:
    return (was.st_dev, was.st_ino, was.st_size, was.st_mtime_ns) == (
        now.st_dev,
        now.st_ino,
        now.st_size,
        now.st_mtime_ns,
    )


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
            return _waiting_already(box, id)
        found = read_file(box, ARCHIVE, name)
        if found is None:
            return _waiting_already(box, id)
        data = contents(name, found[0])
        _into_inbox(box, id, data)
    except gz.Damaged as error:
        raise NotFound(
            f"{id} in the archive of {box.identity} is damaged ({error})",
            "it was left there",
            "rescue what `gunzip -c` still reads",
        ) from None
    except Unsynced as error:
        raise _back(id, reason(error)) from error
    except OSError as error:
        raise _stopped(box, id, "unarchive", "the message is still in the archive", error) from error
    folder = box.folder(ARCHIVE)
    try:
        for same in (f"{id}.md.gz", f"{id}.md"):
            if same == name or holds(box, ARCHIVE, same, data):
                box.disk.unlink(same, folder)
        box.disk.sync_directory(folder)
    except OSError as error:
        raise _back(id, reason(error)) from error
    return Moved(f"{id}.md")


def _back(id: str, why: str) -> Unconfirmed:
    return Unconfirmed(
        f"{id} is in the inbox, but not confirmed out of the archive: {why}",
        "it may be in both places; nothing is lost",
        "unarchive it again",
        id=id,
    )


def _waiting_already(box: Mailbox, id: str) -> Moved:
    if read_file(box, INBOX, f"{id}.md") is None:
        raise NotFound(
            f"no message {id} in the archive of {box.identity}", names.NOTHING_CHANGED, "give the whole id"
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
