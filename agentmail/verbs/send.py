"""Send: one message under one id into every recipient's inbox, durable before the id is given."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.delivery import Delivery, deliver, settle, undelivered
from agentmail.core.errors import NotFound, Refused, TryAgain
from agentmail.core.layout import SENT, TMP
from agentmail.core.locks import lock
from agentmail.core.roster import KnownIdentities, is_known, open_mailbox, unknown
from agentmail.message import read_message, write_message
from agentmail.verbs.delivered import POINTER, doubts_of_sender, outcome_of, take_kind
from agentmail.verbs.draft import Draft, doubts_of_form

BODY_MAX = 8192
PLACEHOLDER = b"(no text)\n"
#: A body of these alone is kept to the byte, and is no text.
BLANK = " \t\r\n\f\v\xa0\u200b\ufeff"


def checked_body(given: Body) -> bytes:
    """The body, or a placeholder for none; Refused where it is too large, not UTF-8, or holds NUL."""
    body = given if isinstance(given, (bytes, str)) else given()
    if isinstance(body, str):
        body = body.encode(errors="surrogatepass")
    if len(body) > BODY_MAX:
        raise Refused(f"the body is over {BODY_MAX} bytes", names.NOTHING_CHANGED, POINTER)
    try:
        body.decode()
    except UnicodeDecodeError:
        raise Refused("the body is not UTF-8 text", names.NOTHING_CHANGED, POINTER) from None
    if b"\0" in body:
        raise Refused("the body holds a NUL byte", names.NOTHING_CHANGED, POINTER)
    return body or PLACEHOLDER


def send(
    call: SessionCall,
    sender: str,
    to: str,
    slug: str,
    subject: Words = "",
    *,
    body: Body = b"",
    re: str | None = None,
    thread: str | None = None,
    priority: str = "normal",
    kind: str | None = None,
    cc: str | None = None,
    evidence: Sequence[str] = (),
    sender_kind: str | None = None,
    once: bool = False,
    retry: str | None = None,
) -> Delivered:
    """Deliver a message to one, a comma list or @all. Prints the message id."""
    if retry is not None:
        from agentmail.verbs.retry import send_again

        new = (to, slug, subject, body, re, thread, kind, cc, evidence, sender_kind, priority != "normal")
        return send_again(call, sender, retry, more=any(new))
    draft = Draft(
        sender,
        to,
        slug,
        subject,
        re=re,
        thread=thread,
        priority=priority,
        kind=kind,
        cc=cc,
        evidence=evidence,
        sender_kind=sender_kind,
        session=call.session,
    )
    return deliver_draft(call, draft, body, once=once, subject=bool(draft.subject))


def deliver_draft(
    call: Call, draft: Draft, body: Body, *, once: bool = False, subject: bool = True
) -> Delivered:
    """Deliver a draft; a body that has to be asked for is asked only once the recipients are known.

    With one recipient a failure is raised; with several each has its outcome. `subject` is False where the sender gave
    none: a message without both is refused.
    """
    bus = call.bus
    known = KnownIdentities(bus)
    _expand(bus, draft, known)
    doubts = [*doubts_of_sender(call, draft.sender, known), *take_kind(draft, known)]
    if draft.addresses:
        from agentmail.verbs.addressed import take_thread

        doubts += take_thread(call, draft, known)
    text = checked_body(body)
    is_blank = text is PLACEHOLDER or not text.decode().strip(BLANK)
    if is_blank and not subject:
        raise Refused("there is neither a text nor a subject", names.NOTHING_CHANGED, "")
    draft.machine = call.machine()
    with Post(bus, draft, known) as post:
        if draft.re and not draft.thread and not draft.is_new:
            draft.thread = post.parent_thread()
        equal = post.find_equal(text) if once else None
        if equal and draft.is_latest:
            draft.thread = read_message(equal[1]).thread
        done = post.deliver(text, equal)
        already = equal is not None and not post.missing
        post.warnings += doubts
        outcome = outcome_of(post, done, len(text), already, call.detailed)
    outcome["warnings"] += doubts_of_form(draft, known, is_blank)
    return outcome


def _expand(bus: Bus, draft: Draft, known: KnownIdentities) -> None:
    """Replace @all by the registered identities, then refuse unknown recipients, before any file changes."""
    if draft.everybody or draft.everybody_cc:
        if known.problem:
            # The registry cannot be read: that is not the same as an empty one.
            raise TryAgain(known.problem, "nothing was delivered", "fix it, or name the recipients")
        others = [identity for identity in known.rows if identity != draft.sender]
        draft.to = others if draft.everybody else draft.to
        draft.cc = [one for one in (others if draft.everybody_cc else draft.cc) if one not in draft.to]
        if not others:
            raise Refused("nobody else is registered", names.NOTHING_CHANGED, "see `agentmail roster`")
    for identity in draft.recipients:
        if not is_known(bus, identity, known):
            raise unknown(bus, identity, known)


class Post:
    """The open mailboxes of a draft: the recipients', and the sender's own where there is one."""

    def __init__(self, bus: Bus, draft: Draft, known: KnownIdentities) -> None:
        self.bus = bus
        self.draft = draft
        self.known = known
        self.boxes: list[Mailbox] = []
        self.own: Mailbox | None = None
        self.missing: list[Mailbox] = []
        self.closed: dict[str, AgentMailError] = {}
        #: The path of the message for those that had it already.
        self.already: dict[str, str] = {}
        self.warnings: list[str] = []

    def __enter__(self) -> Post:
        try:
            for identity in self.draft.recipients:
                self._open(identity)
            self.missing = self.boxes
            if is_known(self.bus, self.draft.sender, self.known):
                self.own = open_mailbox(self.bus, self.draft.sender, self.known)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _open(self, identity: str) -> None:
        """Open one mailbox; one of several that cannot be opened does not stop the delivery to the others."""
        try:
            self.boxes.append(open_mailbox(self.bus, identity, self.known, to_deliver=True))
        except (OSError, TryAgain) as error:
            if len(self.draft.recipients) == 1:
                raise
            self.closed[identity] = (
                undelivered(identity, self.bus.path(identity), error) if isinstance(error, OSError) else error
            )

    def __exit__(self, *_: object) -> None:
        for box in [*self.boxes, self.own]:
            if box is not None:
                box.close()

    def parent_thread(self) -> str:
        """The thread of the message answered, from the sender's mailbox or a recipient's; else its id."""
        from agentmail.core.message_files import load_message

        for box in [self.own, *self.boxes]:
            try:
                if box is not None:
                    return read_message(load_message(box, self.draft.re)[2]).thread or self.draft.re
            except (NotFound, Refused, OSError):
                continue
        return self.draft.re

    def find_equal(self, body: bytes) -> tuple[str, bytes] | None:
        """An equal message that a recipient has; `missing` are then those that do not have it."""
        from agentmail.verbs.once import find_equal

        for box in self.boxes:
            try:
                # Two retries at once must not both find nothing: the look and the delivery are one.
                lock(box.disk, box.folder(TMP))
            except OSError as error:
                raise undelivered(box.identity, box.path(), error) from error
        found = [(box, find_equal(box, self.draft, body)) for box in self.boxes]
        first = next((equal for _, equal in found if equal), None)
        self.already = {box.identity: one[2] for box, one in found if first and one and one[0] == first[0]}
        self.missing = [box for box, _ in found if box.identity not in self.already]
        return first and first[:2]

    def deliver(self, body: bytes, equal: tuple[str, bytes] | None) -> Delivery:
        """Deliver to the recipients that lack it; a message that an earlier try delivered keeps its id and its bytes."""
        own = self.own
        if equal and own is not None and own.disk.exists(f"{equal[0]}.md", own.folder(SENT)):
            own = None
        if equal and not self.missing:
            done = Delivery(equal[0])
            settle(self.boxes, *equal, own, done)
            return done
        moment = self.bus.clock.now_ns()
        stem = equal[0] if equal else f"{times.minute(moment)}-{self.draft.sender}-{self.draft.slug}"
        date = times.timestamp(moment)

        def render(id: str) -> bytes:
            return equal[1] if equal and id == equal[0] else write_message(self.draft.message(id, date, body))

        render(f"{stem}-9999")  # a header too long is refused before anything is staged
        done = deliver(self.missing, stem, render, own, self._record)
        if equal:
            settle([box for box in self.boxes if box not in self.missing], *equal, None, done)
            if own is None:
                self._record(done)
        return done

    def _record(self, done: Delivery) -> None:
        """Beside the sender's copy: whom the message did not reach, and whom a repeated send has reached now."""
        failures = {**self.closed, **done.failures}
        if self.own is not None and len(self.draft.recipients) > 1 and (failures or self.already):
            from agentmail.verbs.retry import record

            now = [box.identity for box in self.boxes if box.identity not in failures]
            record(self.own, done.id, failures, now if self.already else [], self.warnings)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmail.core.errors import AgentMailError
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.core.roster import KnownIdentities
    from agentmail.verbs.call import Body, Call, SessionCall, Words
    from agentmail.verbs.delivered import Delivered
