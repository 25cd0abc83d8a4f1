"""Reply: a message to the sender of another, with `re:` and `thread:` filled from it."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.identities import open_mailbox
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

    `id` may be a thread's name: then its latest message from somebody else is answered.
    """
    id, data = _parent(bus, identity, id)
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


def _parent(bus: Bus, identity: str, word: str) -> tuple[str, bytes]:
    """Id and bytes of the message that a word means: of that id, else the latest of that thread from another."""
    try:
        _, name, data = raw(bus, identity, word)
        return names.without_suffix(name), data
    except NotFound:
        from agentmail.threads import latest_from_another

        with open_mailbox(bus, identity) as box:
            latest = latest_from_another(box, names.message_id(word))
        if latest is None:
            raise
    _, name, data = raw(bus, identity, latest)
    return names.without_suffix(name), data


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
