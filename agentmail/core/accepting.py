"""Accept a message that has an id already, under the claim on that id; see `delivery.accept`.

Why the claim of a dead owner is locked, but neither removed nor written: the owner may be a program that
takes no lock and is still writing. While we hold the lock, no sender of ours continues with the id, and we
stage the message under a hidden name. Without file locks, publishing by link still replaces nothing.
"""

from __future__ import annotations

from agentmail.core import gz
from agentmail.core.claims import claim, confirm, publish, received, unconfirmed
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import ARCHIVE, INBOX, TMP
from agentmail.core.locks import lock
from agentmail.core.message_files import contents, read_file
from agentmail.core.publishing import TAKEN, Unsynced, publish_new

NEW, ALREADY, CONFLICT = "new", "already", "conflict"
#: How often the id is tried while other programs claim it or move its message.
ATTEMPTS = 3
#: Inbox first: archiving links into the archive before it unlinks from the inbox.
RECEIVED = ((INBOX, ".md"), (ARCHIVE, ".md.gz"), (ARCHIVE, ".md"))


def accept_under_claim(box: Mailbox, id: str, data: bytes) -> tuple[str, str]:
    """The outcome, and the folder and name of the file that has the id. OSError: nothing was accepted."""
    for _ in range(ATTEMPTS):
        outcome = _claimed(box, id, data) or _found(box, id, data) or _left_behind(box, id, data)
        if outcome:
            return outcome
    raise TimeoutError("other programs keep claiming or moving it")


def _claimed(box: Mailbox, id: str, data: bytes) -> tuple[str, str] | None:
    """Publish under a claim of our own; None if the id is claimed or taken."""
    held = claim(box, id, received)
    if held is None:
        return None
    try:
        if not publish(held, data):
            return None
        held.confirm()
        return NEW, f"{INBOX}/{id}.md"
    finally:
        held.release()


def _left_behind(box: Mailbox, id: str, data: bytes) -> tuple[str, str] | None:
    """Publish beside a claim whose owner has died; None if the owner has just released it, or the id is taken."""
    disk, tmp = box.disk, box.folder(TMP)
    try:
        handle = disk.file(f"{id}.md", tmp)
    except FileNotFoundError:
        return None
    with handle as fd:
        lock(disk, fd)
        found = disk.stat_or_none(f"{id}.md", tmp)
        if found is None or found.st_ino != disk.fstat(fd).st_ino or received(box, id):
            return None
        try:
            if publish_new(disk, data, f"{id}.md", box.folder(INBOX)) == TAKEN:
                return None
        except Unsynced as error:
            raise unconfirmed(box, id, INBOX, error) from error
        return NEW, f"{INBOX}/{id}.md"


def _found(box: Mailbox, id: str, data: bytes) -> tuple[str, str] | None:
    """ALREADY, durable now, or CONFLICT; None if neither inbox nor archive has the id."""
    taken = ""
    for folder, suffix in RECEIVED:
        same = _holds(box, folder, id + suffix, data)
        if same:
            return _settled(box, id, folder, id + suffix)
        taken = taken or ("" if same is None else f"{folder}/{id}{suffix}")
    return (CONFLICT, taken) if taken else None


def _holds(box: Mailbox, folder: str, name: str, data: bytes) -> bool | None:
    """True if that file is a message of these bytes; None if there is no such file, or no longer."""
    try:
        found = read_file(box, folder, name)
        return None if found is None else contents(name, found[0]) == data
    except (NotFound, Refused, gz.Damaged):
        return False


def _settled(box: Mailbox, id: str, folder: str, name: str) -> tuple[str, str] | None:
    """ALREADY, with the bytes and the name made durable; None if the file was moved meanwhile.

    Why: the program that put it there may have died, or written it, without a sync.
    """
    try:
        with box.disk.file(name, box.folder(folder)) as fd:
            box.disk.sync_file(fd)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unconfirmed(box, id, folder, error) from error
    confirm(box, id, folder)
    return ALREADY, f"{folder}/{name}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
