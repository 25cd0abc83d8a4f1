"""Read: one message, wherever in the mailbox it is; reading moves and changes nothing."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import SENT
from agentmail.core.message_files import body_text, load_message
from agentmail.core.roster import KnownIdentities, open_mailbox
from agentmail.message import odd_name, read_message
from agentmail.verbs.call import TypedDict


class Opened(TypedDict):
    """`read`: one message. `encoding` is `utf-8`, or `base64` where the body is not UTF-8.

    `missed` stands only with a sent message that did not reach all of its recipients.
    """

    identity: str
    id: str
    place: str
    path: str
    header: dict[str, str]
    flags: list[str]
    encoding: str
    body: str
    missed: NotRequired[list[Missed]]


def read(call: SessionCall, identity: Me, id: str) -> Opened:
    """Print one message: waiting, archived or sent. Moves nothing; with a session, records that it was shown."""
    with open_mailbox(call.bus, identity) as box:
        place, name, data = _load(box, id)
        path = box.path(place, name)
        missed = _missed(call, box, names.without_suffix(name)) if place == SENT else []
    message = read_message(data)
    flags = [*message.flags, *odd_name(message, names.without_suffix(name))]
    if message.get("sender_kind"):
        from agentmail.views.sender_kinds import kind_flags

        flags += kind_flags(message, KnownIdentities(call.bus))
    encoding, body = body_text(message.body)
    found: Opened = {
        "identity": identity,
        "id": names.without_suffix(name),
        "place": place,
        "path": path,
        "header": message.values,
        "flags": flags,
        "encoding": encoding,
        "body": body,
    }
    if missed:
        found["missed"] = missed
    return found


def _missed(call: Call, box: Mailbox, id: str) -> list[Missed]:
    """The recipients that a sent message has not reached."""
    from agentmail.ledger.undelivered import outstanding

    try:
        lacking = outstanding(box, id)
    except OSError as error:
        call.bus.disk.notes.append(
            f"whom {names.printable(id)} did not reach cannot be read: {reason(error)}"
        )
        return []
    return [
        {"identity": one.identity, "outcome": one.outcome, "error": one.error, "time": one.time}
        for one in lacking
    ]


def read_raw(call: Call, identity: str, id: str) -> tuple[str, str, bytes]:
    """Place, file name and the message's own bytes."""
    with open_mailbox(call.bus, identity) as box:
        return _load(box, id)


def _load(box: Mailbox, id: str) -> tuple[str, str, bytes]:
    try:
        return load_message(box, names.message_id(id))
    except (NotFound, Refused) as error:
        from agentmail.core.odd_names import explained

        raise explained(box, id, error) from None


def shown_files(outcome: Opened) -> list[str]:
    """The file names of the messages that a session sees in this outcome; one that it sent itself does not count."""
    return [f"{outcome['id']}.md"] if outcome["place"] != SENT else []


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me, SessionCall
    from agentmail.verbs.thread import Missed
