"""Deliver bytes into an inbox: claim the id, write, sync, publish, sync the directory, release.

The order that makes a crash safe, and what is left by a crash before each step:

    claim     tmp/<id>.md, exclusively; the staged file has the final name      nothing
    look      under the claim: inbox first, then archive                        a claim
    write     all bytes, fsync                                                  a claim
    publish   link tmp/<id>.md to inbox/<id>.md                                 a claim
    sync      the inbox directory                                               the message, unconfirmed
    release   unlink the claim                                                  the message, and a claim

Why look under the claim, and inbox before archive: archiving links into the archive before it unlinks
from the inbox, so the two looks cannot both miss a message. An id that another sender published, and that
was archived a moment ago, is therefore never given twice.

Why release last: POSIX lets an unlink reach the disk before a link, so a power cut between them would
leave neither name.
"""

from __future__ import annotations

import errno

from agentmail.core import names
from agentmail.core.claims import (
    MAX_SUFFIX,
    Claim,
    candidates,
    claim,
    confirm,
    publish,
    received,
    received_or_sent,
    sent,
)
from agentmail.core.errors import AgentMailError, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import SENT
from agentmail.core.publishing import TAKEN, publish_new

ADVICE = {
    errno.ENOSPC: "free some space, then send again",
    errno.EDQUOT: "free some space, then send again",
    errno.EROFS: "make the bus writable, then send again",
}


class Delivery:
    """The outcome of a delivery: the id, the failures by recipient, and why the sender has no copy (or "").

    An error in `failures` is TryAgain (not delivered) or Unconfirmed (visible, but not known to be durable).
    """

    __slots__ = ("failures", "id", "uncopied")

    def __init__(self, id: str) -> None:
        self.id = id
        self.failures: dict[str, AgentMailError] = {}
        self.uncopied = ""

    def visible(self, boxes: Sequence[Mailbox]) -> bool:
        """True if at least one recipient can see the message."""
        return any(not isinstance(self.failures.get(box.identity), TryAgain) for box in boxes)


def deliver(
    boxes: Sequence[Mailbox],
    stem: str,
    render: Callable[[str], bytes],
    own: Mailbox | None = None,
    before_copy: Callable[[Delivery], None] | None = None,
) -> Delivery:
    """Deliver the message that `render` makes of its id to every mailbox, under one id, and keep a copy in `own`.

    `before_copy` is called before the copy, which names all recipients, is published. The id is claimed in every mailbox, in the order of the identities, before anything is published; a
    message that is visible is never taken back.
    """
    boxes = sorted(boxes, key=lambda box: box.identity)
    for id in candidates(boxes, stem):
        done = Delivery(id)
        held = _claim_everywhere(boxes, own, done)
        if held is None:
            continue
        try:
            if not held or _publish_everywhere(held, render(id), own, done, before_copy):
                return done
        finally:
            _release(held)
    raise TryAgain(
        f"{stem} was sent {MAX_SUFFIX} times in one minute", "nothing was delivered", "choose another slug"
    )


def _claim_everywhere(boxes: Sequence[Mailbox], own: Mailbox | None, done: Delivery) -> list[Claim] | None:
    """The claims on the id, including the sender's; None if it is taken in any mailbox."""
    to_self = own is not None and own.identity in [box.identity for box in boxes]
    wanted = [(box, received_or_sent if own and own.identity == box.identity else received) for box in boxes]
    if own is not None and not to_self:
        wanted.append((own, sent))
    held: list[Claim] = []
    complete = False
    try:
        for box, is_taken in sorted(wanted, key=lambda pair: pair[0].identity):
            try:
                one = claim(box, done.id, is_taken)
            except OSError as error:
                if is_taken is sent:
                    done.uncopied = reason(error)
                else:
                    done.failures[box.identity] = undelivered(box.identity, box.path(), error)
                continue
            if one is None:
                return None
            held.append(one)
        complete = True
    finally:
        if not complete:
            _release(held)
    return held


def _release(held: list[Claim]) -> None:
    """Release every claim, also if a signal arrives between two releases."""
    if held:
        try:
            held.pop().release()
        finally:
            _release(held)


def _publish_everywhere(
    held: list[Claim],
    data: bytes,
    own: Mailbox | None,
    done: Delivery,
    before_copy: Callable[[Delivery], None] | None,
) -> bool:
    """Publish to each recipient, then the sender's copy; False if the id is taken and nothing is visible."""
    visible = False
    copy = next((one for one in held if one.box is own), None)
    for one in held:
        if one is copy:
            continue
        try:
            if publish(one, data):
                visible = True
                one.confirm()
            elif not visible:
                return False
            else:
                done.failures[one.box.identity] = _too_late(one)
        except Unconfirmed as error:
            visible = True
            done.failures[one.box.identity] = error
        except OSError as error:
            done.failures[one.box.identity] = undelivered(one.box.identity, one.box.path(), error)
    if visible and own is not None and not done.uncopied:
        if before_copy is not None:
            before_copy(done)
        _keep_copy(copy, own, data, done)
    return True


def settle(boxes: Sequence[Mailbox], id: str, data: bytes, own: Mailbox | None, done: Delivery) -> None:
    """Make an earlier delivery durable, and keep the copy in `own` that the earlier try did not write.

    Why: the earlier sender may have died before its sync, and a power cut would then remove the message.
    """
    for box in boxes:
        try:
            confirm(box, id)
        except Unconfirmed as error:
            done.failures[box.identity] = error
    if own is not None:
        _keep_copy(None, own, data, done)


def _keep_copy(copy: Claim | None, own: Mailbox, data: bytes, done: Delivery) -> None:
    """Keep the sender's copy under the same id. A failure is reported and undoes nothing."""
    try:
        kept = (
            copy.publish(data, SENT)
            if copy
            else publish_new(own.disk, data, f"{done.id}.md", own.folder(SENT)) != TAKEN
        )
        if not kept:
            done.uncopied = f"another {done.id} is in {SENT} of {own.identity}"
    except Unconfirmed as error:
        done.uncopied = error.what
    except OSError as error:
        done.uncopied = reason(error)


class Accepted:
    """What `accept` did: NEW, ALREADY or CONFLICT, and the file that has the id (folder and name)."""

    __slots__ = ("outcome", "path")

    def __init__(self, outcome: str, path: str) -> None:
        self.outcome = outcome
        self.path = path


def accept(box: Mailbox, id: str, data: bytes) -> Accepted:
    """Put a message that has an id already into the inbox, durably; a message that has the id is never replaced.

    NEW: it is in the inbox now. ALREADY: inbox or archive held the same bytes, which are durable now.
    CONFLICT: other bytes have the id, and nothing was changed. TryAgain: nothing was accepted. Unconfirmed: it
    is in the inbox, but may not survive a power cut. In every case accepting again is safe.
    """
    from agentmail.core.accepting import accept_under_claim  # reads gzip, which no delivery needs

    id = names.message_id(id)
    try:
        outcome, path = accept_under_claim(box, id, data)
    except OSError as error:
        raise TryAgain(
            f"cannot accept {id} into the inbox of {box.identity}: {reason(error)}",
            "nothing was accepted",
            ADVICE.get(error.errno or 0, "see `agentmail doctor`, then accept it again"),
            id=id,
        ) from error
    except Unconfirmed as error:
        raise Unconfirmed(error.what, error.now, "accept it again", id=id) from error
    return Accepted(outcome, path)


def _too_late(one: Claim) -> TryAgain:
    return TryAgain(
        f"another program put a file {one.id} into the inbox of {one.box.identity}",
        "that recipient did not get this message",
        "send it to that recipient again",
    )


def undelivered(identity: str, path: str, error: OSError) -> AgentMailError:
    """The error of a delivery that a system call stopped."""
    return TryAgain(
        f"cannot deliver to {identity} at {names.printable(path)}: {reason(error)}",
        "nothing was delivered",
        ADVICE.get(error.errno or 0, "see `agentmail doctor`, then send again"),
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmail.core.layout import Mailbox
