"""Read: one message, wherever in the mailbox it is; reading moves and changes nothing."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.message_files import load
from agentmail.core.roster import open_mailbox
from agentmail.message import body_text
from agentmail.message import read as read_message


def read(bus: Bus, identity: str, id: str) -> Opened:
    """The message with its body as text, or in base64 where it is not UTF-8."""
    folder, name, data = raw(bus, identity, id)
    message = read_message(data)
    encoding, body = body_text(message)
    return {
        "identity": identity,
        "id": names.without_suffix(name),
        "place": folder,
        "path": bus.path(identity, folder, name),
        "header": message.values,
        "flags": list(message.flags),
        "encoding": encoding,
        "body": body,
    }


def raw(bus: Bus, identity: str, id: str) -> tuple[str, str, bytes]:
    """Folder, file name and the message's own bytes."""
    with open_mailbox(bus, identity) as box:
        return load(box, names.message_id(id))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Opened
