"""Deliver bytes into an inbox: claim the id, write, sync, publish, sync the directory, release.

The order that makes a crash safe, and what a crash leaves if it strikes before the step:

    claim     tmp/<id>.md, exclusively; the staging name is the final name      nothing
    look      under the claim: inbox first, then archive                        a claim
    write     all bytes, fsync                                                  a claim
    publish   link tmp/<id>.md to inbox/<id>.md                                 a claim
    sync      the inbox directory                                               the message, unconfirmed
    release   unlink the claim                                                  the message, and a claim

Why the look under the claim, inbox before archive: archiving links into the archive before it unlinks
from the inbox, so no message is missed by both looks, and an id that another sender published and
somebody archived a moment ago is never given twice.

Why the release comes last: POSIX lets an unlink reach the disk before a link, and a power cut between
them would leave neither name.
"""

from __future__ import annotations

import errno

from agentmail.core import names
from agentmail.core.errors import AgentMailError, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, TMP
from agentmail.core.staging import MOVED, TAKEN, hidden_name, publish

MAX_SUFFIX = 10_000
PROBES = 4
ADVICE = {
    errno.ENOSPC: "free some space, then send again",
    errno.EDQUOT: "free some space, then send again",
    errno.EROFS: "make the bus writable, then send again",
}


class Claim:
    """The exclusive right to one id in one mailbox, held by a locked file in its tmp."""

    __slots__ = ("_handle", "_staged", "box", "disk", "id")

    def __init__(self, box: Mailbox, id: str, handle: Handle) -> None:
        self.box = box
        self.disk = box.disk
        self.id = id
        self._handle = handle
        self._staged = True

    def publish(self, data: bytes) -> bool:
        """Write the message and make it visible; False where a file of that name stands in the inbox."""
        name = f"{self.id}.md"
        tmp, inbox = self.box.folder(TMP), self.box.folder(INBOX)
        self.disk.write(self._handle.fd, data)
        try:
            outcome = publish(self.disk, self._handle.fd, name, tmp, name, inbox)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return self._publish_across(data, name, inbox)
        self._staged = outcome != MOVED
        return outcome != TAKEN

    def _publish_across(self, data: bytes, name: str, inbox: int) -> bool:
        """The inbox is another mount than tmp: stage once more inside it, still under the claim."""
        staged = hidden_name()
        handle = self.disk.create(staged, inbox)
        outcome = TAKEN
        try:
            with handle as fd:
                self.disk.write(fd, data)
                outcome = publish(self.disk, fd, staged, inbox, name, inbox)
                if outcome != TAKEN:
                    self.confirm()
        finally:
            if outcome != MOVED:
                self.disk.discard(staged, inbox)
        return outcome != TAKEN

    def confirm(self) -> None:
        """Make the name durable. A failure does not take the message back: a reader may have it."""
        try:
            self.disk.sync_directory(self.box.folder(INBOX))
        except OSError as error:
            raise Unconfirmed(
                f"{self.id} is in the inbox of {self.box.identity}, but the disk did not confirm it: {reason(error)}",
                "it is visible and may not survive a power cut",
                "look for it before sending again",
                id=self.id,
            ) from error

    def release(self) -> None:
        """Give the claim back."""
        if self._staged:
            self.disk.discard(f"{self.id}.md", self.box.folder(TMP))
        self.disk.close(self._handle.fd)


def claim(box: Mailbox, id: str, sent: int | None = None) -> Claim | None:
    """Claim an id in a mailbox, or None where it is taken there or in the sender's `sent` folder."""
    disk = box.disk
    name = f"{id}.md"
    try:
        handle = disk.create(name, box.folder(TMP))
    except FileExistsError:
        return None
    held = Claim(box, id, handle)
    try:
        disk.try_lock(handle.fd)
        if not is_taken(box, id) and (sent is None or not disk.exists(name, sent)):
            return held
    except BaseException:
        held.release()
        raise
    held.release()
    return None


def is_taken(box: Mailbox, id: str) -> bool:
    """True where a message of that id stands in the inbox or the archive."""
    archive = box.folder(ARCHIVE)
    return (
        box.disk.exists(f"{id}.md", box.folder(INBOX))
        or box.disk.exists(f"{id}.md.gz", archive)
        or box.disk.exists(f"{id}.md", archive)
    )


def candidates(box: Mailbox, stem: str) -> Iterator[str]:
    """The ids to try for a stem: itself, then -2, -3, ...; after a few, only what one listing shows free."""
    yield stem
    for number in range(2, PROBES + 1):
        yield f"{stem}-{number}"
    used = {
        names.without_suffix(name)
        for folder in (INBOX, ARCHIVE, TMP)
        for name in box.disk.names(box.folder(folder))
        if name.startswith(stem)
    }
    for number in range(PROBES + 1, MAX_SUFFIX):
        if f"{stem}-{number}" not in used:
            yield f"{stem}-{number}"


def deliver(box: Mailbox, stem: str, render: Callable[[str], bytes], sent: int | None = None) -> str:
    """Deliver the message that `render` makes of its id; returns the id, then durable in the inbox.

    TryAgain: nothing was delivered. Unconfirmed: it is visible, but the disk did not confirm it.
    """
    restaged = False
    try:
        for id in candidates(box, stem):
            held = claim(box, id, sent)
            if held is None:
                continue
            try:
                if held.publish(render(id)):
                    held.confirm()
                    return id
            except FileNotFoundError:
                # Somebody cleaned tmp under us; the bytes are still here, so stage them once more.
                if restaged:
                    raise
                restaged = True
            finally:
                held.release()
    except OSError as error:
        raise undelivered(box, error) from error
    raise TryAgain(
        f"{stem} was sent to {box.identity} {MAX_SUFFIX} times in one minute",
        "nothing was delivered",
        "choose another slug",
    )


def undelivered(box: Mailbox, error: OSError) -> AgentMailError:
    """The outcome of a delivery that the system stopped."""
    return TryAgain(
        f"cannot deliver to {box.identity} at {names.printable(box.path())}: {reason(error)}",
        "nothing was delivered",
        ADVICE.get(error.errno or 0, "see `agentmail doctor`, then send again"),
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmail.core.fs import Handle
    from agentmail.core.layout import Mailbox
