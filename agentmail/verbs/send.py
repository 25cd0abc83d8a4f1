"""Send: one message into the recipient's inbox, durable before the id is given."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.delivery import deliver, undelivered
from agentmail.core.errors import NotFound, Refused
from agentmail.core.identities import is_known, open_mailbox, roster, unknown
from agentmail.core.layout import INBOX, SENT, TMP
from agentmail.core.mailbox import load
from agentmail.core.registry import NO_WORKDIR
from agentmail.message import KEYS, PRIORITIES, SUBJECT_MAX, Message, read, write

BODY_MAX = 8192
BODY_WARN = 2048
PLACEHOLDER = b"(no text)\n"
POINTER = "put the payload into a file and send: the conclusion, what you need, the file's absolute path"


class Draft:
    """What a sender asked for, validated; no file has been touched."""

    __slots__ = ("priority", "re", "sender", "slug", "subject", "thread", "to")

    def __init__(
        self,
        sender: str,
        to: str,
        slug: str,
        subject: str = "",
        *,
        re: str | None = None,
        thread: str | None = None,
        priority: str = "normal",
    ) -> None:
        self.sender = names.identity(sender)
        self.to = names.recipient(to)
        self.slug = names.slug(slug)
        self.subject = checked_subject(subject)
        # None is not given; an empty one is a variable that its caller forgot to set.
        self.re = "" if re is None else names.message_id(re)
        self.thread = "" if thread is None else names.thread(thread)
        if priority not in PRIORITIES:
            raise Refused(
                f"{names.quoted(priority)} is not a priority",
                names.NOTHING_CHANGED,
                "use low, normal or high",
            )
        self.priority = priority

    def message(self, id: str, date: str, body: bytes) -> Message:
        """The message under an id."""
        thread = self.thread or id
        values = (id, self.sender, self.to, thread, self.re, self.subject, self.priority, date)
        return Message(dict(zip(KEYS, values, strict=True)), body)


def checked_subject(text: str) -> str:
    """The subject, if it is one line of text within bounds; else Refused."""
    if names.has_control(text):
        raise Refused(
            f"the subject {names.quoted(text)} holds a line break, a control character or invalid UTF-8",
            names.NOTHING_CHANGED,
            "give one line of plain text",
        )
    size = len(text.encode())
    if size > SUBJECT_MAX:
        raise Refused(
            f"the subject is {size} bytes, over {SUBJECT_MAX}",
            names.NOTHING_CHANGED,
            "shorten it and put the rest into the body",
        )
    return text.strip(" ")


def checked_body(body: bytes) -> bytes:
    """The body, or a placeholder for none; Refused where it is too large, not UTF-8, or holds NUL."""
    if len(body) > BODY_MAX:
        raise Refused(f"the body is over {BODY_MAX} bytes", names.NOTHING_CHANGED, POINTER)
    try:
        body.decode()
    except UnicodeDecodeError:
        raise Refused("the body is not UTF-8 text", names.NOTHING_CHANGED, POINTER) from None
    if b"\0" in body:
        raise Refused("the body holds a NUL byte", names.NOTHING_CHANGED, POINTER)
    return body or PLACEHOLDER


def send(bus: Bus, draft: Draft, body: Callable[[], bytes], *, once: bool = False) -> Delivered:
    """Deliver a draft with the body that `body` gives, which is asked only once the recipient is known."""
    known = roster(bus)
    if not is_known(bus, draft.to, known):
        raise unknown(bus, draft.to, known)
    text = checked_body(body())
    with open_mailbox(bus, draft.to, known) as box:
        warnings = _warnings(bus, known, draft, len(text))
        remote = draft.to in known.rows and known.rows[draft.to].workdir == NO_WORKDIR
        if remote:
            place = names.printable(box.path(INBOX))
            warnings.append(
                f"{draft.to} has no workdir here: the message lies in {place} until someone carries it"
            )
        own = sender_mailbox(bus, draft.sender)
        try:
            if draft.re and not draft.thread:
                draft.thread = parent_thread(own, box, draft)
            outcome, id = _deliver(box, own, draft, text, once)
        finally:
            if own:
                own.close()
        return {
            "outcome": outcome,
            "id": id,
            "from": draft.sender,
            "to": draft.to,
            "thread": draft.thread or id,
            "re": draft.re,
            "path": box.path(INBOX, f"{id}.md"),
            "size": len(text),
            "remote": remote,
            "warnings": warnings,
        }


def _warnings(bus: Bus, known: Roster, draft: Draft, size: int) -> list[str]:
    warnings = []
    if not is_known(bus, draft.sender, known):
        warnings.append(f"{draft.sender} is not registered; sent all the same")
    if size > BODY_WARN:
        warnings.append(f"the body is {size} bytes, over {BODY_WARN}; next time {POINTER}")
    return warnings


def _deliver(box: Mailbox, own: Mailbox | None, draft: Draft, body: bytes, once: bool) -> tuple[str, str]:
    if once:
        from agentmail.verbs.once import find_equal

        try:
            # Two retries at once must not both find nothing: the look and the delivery are one.
            box.disk.lock(box.folder(TMP))
        except OSError as error:
            raise undelivered(box, error) from error
        equal = find_equal(box, draft, body)
        if equal:
            return "already-delivered", equal
    moment = box.bus.clock.now_ns()
    stem = f"{times.minute(moment)}-{draft.sender}-{draft.slug}"
    date = times.timestamp(moment)
    write(draft.message(f"{stem}-9999", date, b""))  # a header too long is refused before anything is staged
    sent = own.existing(SENT) if own else None
    return "delivered", deliver(box, stem, lambda id: write(draft.message(id, date, body)), sent)


def sender_mailbox(bus: Bus, sender: str) -> Mailbox | None:
    """The sender's mailbox where there is one that can be opened: its `sent` holds ids, its inbox parents."""
    try:
        return bus.mailbox(sender)
    except OSError:
        return None


def parent_thread(own: Mailbox | None, box: Mailbox, draft: Draft) -> str:
    """The thread of the message answered, from the sender's mailbox or the recipient's; else its id."""
    for place in (own, box):
        try:
            if place:
                return read(load(place, draft.re)[2]).thread or draft.re
        except (NotFound, Refused, OSError):
            continue
    return draft.re


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.identities import Roster
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.outcomes import Delivered
