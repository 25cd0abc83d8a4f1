"""`send --retry ID`: deliver a sent message to those whom it did not reach, under the same id and with the same bytes."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.addresses import workspaces_of
from agentmail.core.delivery import accept, undelivered
from agentmail.core.errors import AgentMailError, NotFound, Refused, UnknownIdentity
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.core.message_files import find_archived, read_file
from agentmail.core.roster import KnownIdentities, is_known, open_mailbox, unknown
from agentmail.ledger.undelivered import Undelivered, append, outstanding
from agentmail.message import read_message
from agentmail.verbs.delivered import ALREADY, REACHED, recipient_of, word_of
from agentmail.views.receipts import recipients_of


def send_again(call: Call, sender: str, id: str, *, more: bool = False) -> Delivered:
    """Deliver the sender's copy to the recipients that its facts name; nothing is done where they name none.

    `more` is True where the call gave something of a new message too: Refused.
    """
    bus = call.bus
    sender, id = names.identity(sender), names.message_id(id)
    if more:
        raise Refused(
            "--retry sends a message again that has its recipients, its header and its text",
            names.NOTHING_CHANGED,
            f"use `agentmail send {sender} --retry {id}`",
        )
    known = KnownIdentities(bus)
    if not is_known(bus, sender, known):
        raise unknown(bus, sender, known)
    with open_mailbox(bus, sender, known) as own:
        data = _copy(own, id)
        message = read_message(data)
        failures: dict[str, AgentMailError] = {}
        whom = recipients_of(message)
        lacking = [one.identity for one in outstanding(own, id) if one.identity in whom]
        for identity in lacking:
            try:
                _deliver(bus, identity, id, data, known)
            except AgentMailError as error:
                failures[identity] = error
        warnings: list[str] = []
        record(own, id, failures, [one for one in lacking if one not in failures], warnings)
    to = [_recipient(call, known, sender, id, one, failures.get(one), one in lacking) for one in whom]
    return _outcome(sender, id, message, to, bool(lacking), warnings)


def _copy(own: Mailbox, id: str) -> bytes:
    found = read_file(own, SENT, f"{id}.md")
    if found is None:
        raise NotFound(
            f"{own.identity} has no copy of a sent message {id}",
            names.NOTHING_CHANGED,
            f"see `agentmail receipts {own.identity}`",
        )
    return found[0]


def _recipient(
    call: Call,
    known: KnownIdentities,
    sender: str,
    id: str,
    identity: str,
    failure: AgentMailError | None,
    lacked: bool,
) -> Recipient:
    advice = f"fix that, then `agentmail send {sender} --retry {id}`"
    word = failure.word if failure else "delivered" if lacked else ALREADY
    path = _where(call.bus, identity, id)
    return recipient_of(call.bus, known, identity, path, failure, word, advice, call.detailed)


def _where(bus: Bus, identity: str, id: str) -> str:
    """Where the message of a recipient is: its archive file if it was archived, else its place in the inbox."""
    try:
        with bus.mailbox(identity) as box:
            inbox = box.existing(INBOX)
            waits = inbox is not None and box.disk.exists(f"{id}.md", inbox)
            archived = None if waits else find_archived(box, id)
            if archived:
                return box.path(ARCHIVE, archived)
    except (OSError, AgentMailError):
        # Only the place is asked for; whether the message arrived is known.
        pass
    return bus.path(identity, INBOX, f"{id}.md")


def _outcome(
    sender: str, id: str, message: Message, to: list[Recipient], tried: bool, warnings: list[str]
) -> Delivered:
    reached = [one for one in to if one["outcome"] in REACHED]
    return {
        "outcome": word_of(len(reached), len(to)) if tried else ALREADY,
        "id": id,
        "from": sender,
        "to": message.get("to"),
        "cc": message.get("cc"),
        "thread": message.thread or id,
        "re": message.get("re"),
        "kind": message.kind,
        "path": (reached or to)[0]["path"] if to else "",
        "size": len(message.body),
        "remote": any(one["remote"] for one in to),
        "recipients": to,
        "warnings": warnings,
        "workspaces": workspaces_of(message.get("workspace")),
    }


def _deliver(bus: Bus, identity: str, id: str, data: bytes, known: KnownIdentities) -> None:
    try:
        with open_mailbox(bus, identity, known, to_deliver=True) as box:
            done = accept(box, id, data)
    except UnknownIdentity as gone:
        # The message names its recipient, so no retry reaches another.
        new = gone.details.get("renamed_to")
        advice = f"send it to {new} as a new message" if new else gone.next_step
        raise UnknownIdentity(gone.what, f"{identity} did not get it", advice, **gone.details) from gone
    except OSError as error:
        raise undelivered(identity, bus.path(identity), error) from error
    if done.outcome == "conflict":
        raise Refused(
            f"another message of {identity} has the id {id}",
            f"{identity} did not get it",
            "send it to that recipient as a new message",
        )


def record(
    own: Mailbox, id: str, failures: Mapping[str, AgentMailError], reached: Sequence[str], warnings: list[str]
) -> None:
    """Keep, beside the sender's copy, whom a message did not reach; a failure of that is a warning."""
    now = times.timestamp(own.bus.clock.now_ns())
    found = [Undelivered(to, error.word, error.what, now) for to, error in sorted(failures.items())]
    try:
        append(own, id, found, reached, now)
    except OSError as error:
        whom = ", ".join(sorted(failures)) or "that a later try reached them"
        warnings.append(f"{id}: what became of it could not be recorded ({whom}): {reason(error)}")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmail.core.layout import Bus, Mailbox
    from agentmail.message import Message
    from agentmail.verbs.call import Call
    from agentmail.verbs.delivered import Delivered, Recipient
