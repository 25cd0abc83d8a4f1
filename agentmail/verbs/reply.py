"""Reply: a message to the sender of another, with `re:` and `thread:` filled from it."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.message import SUBJECT_MAX, Message
from agentmail.message import read as read_message
from agentmail.verbs.read import raw
from agentmail.verbs.send import Draft, send


def reply(
    bus: Bus,
    identity: str,
    id: str,
    subject: str,
    body: Callable[[], bytes],
    *,
    priority: str = "normal",
    once: bool = False,
) -> Delivered:
    """Deliver an answer to the sender that the message names; Refused where it names none."""
    _, name, data = raw(bus, identity, id)
    parent = read_message(data)
    id = names.without_suffix(name)
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
        priority=priority,
    )
    return send(bus, draft, body, once=once)


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

    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Delivered
