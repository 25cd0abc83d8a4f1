"""Reply: a message to the sender of another, with `re:` and `thread:` filled from it."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import SENT
from agentmail.core.roster import open_mailbox
from agentmail.message import SUBJECT_MAX, Message, read_message
from agentmail.verbs.draft import Draft
from agentmail.verbs.read import read_raw
from agentmail.verbs.send import deliver_draft


def reply(
    call: SessionCall,
    identity: Me,
    id: str,
    subject: Words = "",
    *,
    body: Body = b"",
    priority: str = "normal",
    kind: str | None = None,
    cc: str | None = None,
    evidence: Sequence[str] = (),
    sender_kind: str | None = None,
    once: bool = False,
) -> Delivered:
    """Answer a message, or the latest of a thread: to its sender, in its thread.

    `id` may be a thread's name, or the id of a message that was sent: then the latest message from another
    identity in that thread is answered. Refused where the message names no sender.
    """
    draft = _draft(call, identity, id, subject, (priority, kind, cc, evidence, sender_kind))
    return deliver_draft(call, draft, body, once=once, subject=bool(subject))


def _draft(call: SessionCall, identity: str, word: str, subject: str, options: Options) -> Draft:
    """The answer: recipient, slug, thread and a subject that was not given come from the message it answers."""
    parent, id, sender = _answered(call, identity, word)
    priority, kind, cc, evidence, sender_kind = options
    return Draft(
        identity,
        sender,
        answer_slug(parent, id),
        subject or answer_subject(parent),
        re=id,
        thread=parent.thread or id,
        priority=priority,
        kind=kind,
        cc=cc,
        evidence=evidence,
        sender_kind=sender_kind,
        session=call.session,
    )


def _answered(call: Call, identity: str, word: str) -> tuple[Message, str, str]:
    """The message to answer, its id and its sender. Refused where an answer would reach nobody else."""
    place, id, data = _parent(call, identity, word)
    parent = read_message(data)
    if place == SENT:
        raise Refused(
            f"{id} was sent by {identity}, so an answer would come back to you",
            names.NOTHING_CHANGED,
            f"to add to it: {_new_message(identity, parent, id)}",
        )
    sender = parent.get("from")
    if not names.is_identity(sender):
        raise Refused(
            f"{id} names no sender that could be answered (from: {names.quoted(sender)})",
            names.NOTHING_CHANGED,
            f"send a new message: {_new_message(identity, parent, id)}",
        )
    return parent, id, sender


def _parent(call: Call, identity: str, word: str) -> tuple[str, str, bytes]:
    """Folder, id and bytes of the message to answer: the one of that id; of a thread or a sent message, the latest."""
    try:
        place, name, data = read_raw(call, identity, word)
    except NotFound:
        name = names.message_id(word)
        latest = _latest(call, identity, name)
        if latest is None and names.is_stamped(name):
            raise
        if latest is None:
            raise NotFound(
                f"{identity} has no message {name}, nor one from another in a thread {name}",
                names.NOTHING_CHANGED,
                f"see `agentmail check {identity}` and `agentmail threads {identity}`",
            ) from None
        return latest
    id = names.without_suffix(name)
    if place != SENT:
        return place, id, data
    return _latest(call, identity, read_message(data).thread or id) or (place, id, data)


def _latest(call: Call, identity: str, thread: str) -> tuple[str, str, bytes] | None:
    """The latest message of a thread that came from another identity."""
    from agentmail.views.threads import latest_from_another

    with open_mailbox(call.bus, identity) as box:
        id = latest_from_another(box, thread)
    if id is None:
        return None
    place, name, data = read_raw(call, identity, id)
    return place, names.without_suffix(name), data


def _new_message(identity: str, parent: Message, id: str) -> str:
    """The call that sends a message about another: to its recipients where this identity wrote it."""
    from agentmail.verbs.whole_call import whole_call

    mine = parent.get("from") == identity
    to = "".join(parent.get("to").split()) if mine else ""
    words = (identity, to or "OTHER", answer_slug(parent, id))
    return whole_call("send", words, answer_subject(parent) or "subject", re=id)


def answer_slug(parent: Message, id: str) -> str:
    """`re-` and the parent's own slug where its name shows one; else `re`."""
    lead = f"{names.minute_of(id)}-{parent.get('from')}-"
    word = names.as_word(id.removeprefix(lead)) if names.is_stamped(id) and id.startswith(lead) else ""
    return names.as_word(word if word.startswith("re-") else f"re-{word}") or "re"


def answer_subject(parent: Message) -> str:
    """`re: ` and the parent's subject, made fit for a header of ours."""
    subject = names.printable(parent.get("subject"))
    if not subject:
        return ""
    whole = subject if subject[:3].lower() == "re:" else f"re: {subject}"
    return whole.encode()[:SUBJECT_MAX].decode(errors="ignore")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmail.verbs.call import Body, Call, Me, SessionCall, Words
    from agentmail.verbs.delivered import Delivered

    #: Priority, kind, cc, evidence and sender kind of an answer, as they were given.
    Options = tuple[str, str | None, str | None, Sequence[str], str | None]
