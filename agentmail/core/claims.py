"""Claims: the exclusive right to an id in a mailbox while a message is on its way there.

A claim is a locked file in tmp with the final name, created exclusively. Of all senders only one can hold
it, also on file systems that ignore case or have no hard links, and over NFS.
"""

from __future__ import annotations

import errno

from agentmail.core import names
from agentmail.core.errors import Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, SENT, TMP
from agentmail.core.locks import try_lock
from agentmail.core.publishing import MOVED, TAKEN, hidden_name, publish_staged

MAX_SUFFIX = 10_000
PROBES = 4


class Claim:
    """The exclusive right to one id in one mailbox, held by a locked file in its tmp."""

    __slots__ = ("_handle", "_staged", "box", "disk", "id")

    def __init__(self, box: Mailbox, id: str, handle: Handle) -> None:
        self.box = box
        self.disk = box.disk
        self.id = id
        self._handle = handle
        self._staged = True

    def publish(self, data: bytes, folder: str = INBOX) -> bool:
        """Write the message and make it visible; False if the folder has a file of that name."""
        name = f"{self.id}.md"
        tmp, final_in = self.box.folder(TMP), self.box.folder(folder)
        self.disk.write(self._handle.fd, data)
        try:
            outcome = publish_staged(self.disk, self._handle.fd, name, tmp, name, final_in)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return self._publish_across(data, name, folder)
        self._staged = outcome != MOVED
        return outcome != TAKEN

    def _publish_across(self, data: bytes, name: str, folder: str) -> bool:
        """Stage again inside the folder, still under the claim: the folder is another mount than tmp."""
        staged, inside = hidden_name(), self.box.folder(folder)
        handle = self.disk.create(staged, inside)
        outcome = TAKEN
        try:
            with handle as fd:
                self.disk.write(fd, data)
                outcome = publish_staged(self.disk, fd, staged, inside, name, inside)
                if outcome != TAKEN:
                    self.confirm(folder)
        finally:
            if outcome != MOVED:
                self.disk.discard(staged, inside)
        return outcome != TAKEN

    def confirm(self, folder: str = INBOX) -> None:
        """Make the name durable. On failure the message stays: a reader may have seen it."""
        confirm(self.box, self.id, folder)

    def release(self) -> None:
        """Remove the claim."""
        if self._staged:
            self.disk.discard(f"{self.id}.md", self.box.folder(TMP))
        self.disk.close(self._handle.fd)


def claim(box: Mailbox, id: str, is_taken: Callable[[Mailbox, str], bool]) -> Claim | None:
    """Claim an id in a mailbox, or None if it is taken there."""
    disk = box.disk
    try:
        handle = disk.create(f"{id}.md", box.folder(TMP))
    except FileExistsError:
        return None
    held = Claim(box, id, handle)
    try:
        if not try_lock(disk, handle.fd):
            # `accept` found the claim before it was locked and took it over; its name must stay.
            disk.close(handle.fd)
            return None
        if not is_taken(box, id):
            return held
    except BaseException:
        held.release()
        raise
    held.release()
    return None


def publish(one: Claim, data: bytes) -> bool:
    """Publish under a claim; if somebody removed the claim's file from tmp, claim and stage once more."""
    try:
        return one.publish(data)
    except FileNotFoundError:
        again = claim(one.box, one.id, received)
        if again is None:
            raise
        try:
            return again.publish(data)
        finally:
            again.release()


def confirm(box: Mailbox, id: str, folder: str = INBOX) -> None:
    """Make the name of a message durable; Unconfirmed if the disk does not confirm it."""
    try:
        box.disk.sync_directory(box.folder(folder))
    except OSError as error:
        raise unconfirmed(box, id, folder, error) from error


def unconfirmed(box: Mailbox, id: str, folder: str, error: OSError) -> Unconfirmed:
    """The error of a message that is visible, but not known to be durable."""
    return Unconfirmed(
        f"{id} is in the {folder} of {box.identity}, but the disk did not confirm it: {reason(error)}",
        "it is visible and may not survive a power cut",
        "look for it before sending again",
        id=id,
    )


def received(box: Mailbox, id: str) -> bool:
    """True if the inbox or the archive has a message of that id."""
    archive = box.folder(ARCHIVE)
    return (
        box.disk.exists(f"{id}.md", box.folder(INBOX))
        or box.disk.exists(f"{id}.md.gz", archive)
        or box.disk.exists(f"{id}.md", archive)
    )


def sent(box: Mailbox, id: str) -> bool:
    """True if the sender has a copy of that id."""
    folder = box.existing(SENT)
    return folder is not None and box.disk.exists(f"{id}.md", folder)


def received_or_sent(box: Mailbox, id: str) -> bool:
    """True if the id is taken for a message that an identity sends to itself."""
    return received(box, id) or sent(box, id)


def candidates(boxes: Sequence[Mailbox], stem: str) -> Iterator[str]:
    """The ids to try for a stem: the stem, then -2, -3, ...; after a few, only ids that a listing shows to be free."""
    yield stem
    for number in range(2, PROBES + 1):
        yield f"{stem}-{number}"
    used = {
        names.without_suffix(name)
        for box in boxes
        for folder in (INBOX, ARCHIVE, TMP)
        for name in box.disk.names(box.folder(folder))
        if name.startswith(stem)
    }
    for number in range(PROBES + 1, MAX_SUFFIX):
        if f"{stem}-{number}" not in used:
            yield f"{stem}-{number}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentmail.core.fs import Handle
    from agentmail.core.layout import Mailbox
