"""Reply: a message to the sender of another, with `re:` and `thread:` filled from it."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import SENT
from agentmail.core.roster import open_mailbox
from agentmail.message import SUBJECT_MAX, Message
from agentmail.message import read as read_message
from agentmail.verbs.draft import Draft
from agentmail.verbs.read import raw
from agentmail.verbs.send import send


def reply(
    bus: Bus,
    identity: str,
    id: str,
    subject: str,
    body: Callable[[], bytes],
    machine: Callable[[], str],
    *,
    once: bool = False,
    ask_wake: bool = False,
    session: str = "",
    **options: Unpack[ReplyOptions],
) -> Delivered:
    """Deliver an answer to the sender that the message names; Refused where it names none.

    `id` may be a thread's name, or the id of a message that was sent: then the latest message from somebody else
    in that thread is answered.
    """
    place, id, data = _parent(bus, identity, id)
    if place == SENT:
        raise Refused(
            f"{id} was sent by {identity}, so an answer would come back to you",
            names.NOTHING_CHANGED,
            f"to add to it use `agentmail send {identity} <to> <slug> --re {id}`",
        )
    parent = read_message(data)
    sender = parent.get("from")
    if not names.is_identity(sender):
        raise Refused(
            f"{id} names no sender that could be answered (from: {names.quoted(sender)})",
            names.NOTHING_CHANGED,
            f"use `agentmail send {identity} <to> <slug> --re {id}`",
        )
    draft = Draft(
        identity,
        sender,
        answer_slug(parent, id),
        subject or answer_subject(parent),
        re=id,
        thread=parent.thread or id,
        session=session,
        **options,
    )
    return send(bus, draft, body, machine, once=once, ask_wake=ask_wake)


def _parent(bus: Bus, identity: str, word: str) -> tuple[str, str, bytes]:
    """Folder, id and bytes of what is answered: the message of that id; of a thread, or where it was sent, the latest."""
    try:
        place, name, data = raw(bus, identity, word)
    except NotFound:
        name = names.message_id(word)
        latest = _latest(bus, identity, name)
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
    return _latest(bus, identity, read_message(data).thread or id) or (place, id, data)


def _latest(bus: Bus, identity: str, thread: str) -> tuple[str, str, bytes] | None:
    """The latest message of a thread that came from somebody else."""
    from agentmail.views.threads import latest_from_another

    with open_mailbox(bus, identity) as box:
        id = latest_from_another(box, thread)
    if id is None:
        return None
    place, name, data = raw(bus, identity, id)
    return place, names.without_suffix(name), data


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
    from collections.abc import Callable
    from typing import Unpack

    from agentmail.core.layout import Bus
    from agentmail.verbs.draft import ReplyOptions
    from agentmail.verbs.outcomes import Delivered
