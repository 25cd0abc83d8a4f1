"""Thread: the messages that an identity received and sent under one name, with what sessions recorded about each."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound
from agentmail.core.layout import SENT
from agentmail.core.message_files import body_text
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import From, TypedDict
from agentmail.verbs.limits import limit_of
from agentmail.views.listing import described as described_by_file
from agentmail.views.receipts import Witnesses
from agentmail.views.sender_kinds import kind_flags
from agentmail.views.threads import messages_of, thread_named


class ReceiptOfSession(TypedDict):
    """What one session of an identity recorded; a time is empty where it recorded nothing of the kind.

    `shown` is false where the session acknowledged a message that it had not been shown.
    """

    identity: str
    machine: str
    session: str
    presented: str
    acknowledged: str
    shown: bool


class Missed(TypedDict):
    """A recipient whom a message did not reach, or (`unconfirmed`) not surely: the word and text of the error."""

    identity: str
    outcome: str
    error: str
    time: str


class ListedMessage(From):
    """A message in the folder `place`. `machine` and `session` are empty where its provenance is unavailable.

    `missed` names the recipients of a message that I sent whom it has not reached. `workspaces` are the paths of the
    recipients that were addressed with one.
    """

    id: str
    place: str
    path: str
    to: str
    cc: str
    workspaces: dict[str, str]
    thread: str
    re: str
    kind: str
    subject: str
    priority: str
    date: str
    machine: str
    session: str
    sender_kind: str
    evidence: list[dict[str, str]]
    flags: list[str]
    receipts: list[ReceiptOfSession]
    missed: list[Missed]


class ThreadMessage(ListedMessage):
    """A message with its text; `encoding` is `utf-8`, or `base64` where the body is not UTF-8."""

    encoding: str
    body: str


class Thread(TypedDict):
    """`thread`: the messages that this identity received or sent, oldest first. `unreadable` names what is damaged.

    `left_out` counts the older ones that are not shown because of `--limit`.
    """

    identity: str
    thread: str
    left_out: int
    messages: list[ThreadMessage]
    unreadable: list[str]


def thread(call: SessionCall, identity: Me, thread: str, *, limit: Limit = None) -> Thread:
    """Print a thread, oldest first, with receipts; by its name or by one of its messages."""
    most = limit_of(limit)
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        name = thread_named(box, thread)
        unreadable: list[str] = []
        chosen = messages_of(box, name, reader=reader, unreadable=unreadable, progress=call.progress)
        if not chosen:
            but = f" ({len(unreadable)} could not be read)" if unreadable else ""
            raise NotFound(
                f"no message of {identity} belongs to a thread {name}{but}",
                names.NOTHING_CHANGED,
                f"see `agentmail threads {identity}`",
            )
        witnesses = Witnesses(call.bus)
        left_out = max(0, len(chosen) - most) if most is not None else 0
        messages = [whole(box, one, witnesses) for one in chosen[left_out:]]
        return {
            "identity": identity,
            "thread": name,
            "left_out": left_out,
            "messages": messages,
            "unreadable": unreadable + witnesses.unreadable,
        }


def shown_files(outcome: Thread) -> list[str]:
    """The file names of the messages that a session sees in this outcome; those that it sent do not count."""
    return [f"{one['id']}.md" for one in outcome["messages"] if one["place"] != SENT]


def whole(box: Mailbox, entry: Entry, witnesses: Witnesses) -> ThreadMessage:
    """A message with its text and its receipts."""
    encoding, body = body_text(entry.message.body)
    return {**listed(box, entry, witnesses), "encoding": encoding, "body": body}


def listed(box: Mailbox, entry: Entry, witnesses: Witnesses) -> ListedMessage:
    """A message without its text, with its receipts. Provenance that a header does not give is empty."""
    described: Any = described_by_file(entry, box.path(entry.place, entry.name))
    described["flags"] += kind_flags(entry.message, witnesses.known)
    described["receipts"] = [
        {
            "identity": one.identity,
            "machine": one.machine,
            "session": one.session,
            "presented": one.presented,
            "acknowledged": one.acknowledged,
            "shown": one.shown,
        }
        for one in witnesses.about(box, entry)
    ]
    described["missed"] = [
        {"identity": one.identity, "outcome": one.outcome, "error": one.error, "time": one.time}
        for one in witnesses.missed(box, entry)
    ]
    found: ListedMessage = described
    return found


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Limit, Me, SessionCall
    from agentmail.views.base import Entry
