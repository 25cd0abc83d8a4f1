"""What is in a mailbox: the names that wait, in order, and where a message is.

Only names here; what is in a message is the format's business.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import NotFound
from agentmail.core.layout import ARCHIVE, INBOX, SENT

#: Where a message can be, in the order in which it is looked for.
PLACES = ((INBOX, ".md"), (ARCHIVE, ".md.gz"), (ARCHIVE, ".md"), (SENT, ".md"))


def waiting(box: Mailbox) -> list[str]:
    """The file names in the inbox, oldest first; an inbox that cannot be read is an error, never empty."""
    return sorted(waiting_unordered(box), key=names.order)


def waiting_unordered(box: Mailbox) -> list[str]:
    """The same in no order, for who needs few of many."""
    inbox = box.existing(INBOX)
    return [] if inbox is None else box.disk.names(inbox)


def locate(box: Mailbox, id: str) -> tuple[str, str]:
    """Folder and file name of a message; NotFound where it is nowhere in the mailbox."""
    for folder, suffix in PLACES:
        parent = box.existing(folder)
        if parent is not None and box.disk.exists(id + suffix, parent):
            return folder, id + suffix
    raise NotFound(
        f"no message {id} in the mailbox of {box.identity}",
        names.NOTHING_CHANGED,
        f"see `agentmail check {box.identity}`",
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
