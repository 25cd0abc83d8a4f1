"""How verbs read a mailbox: by its index where this machine has one, which is written after the answer."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import is_file, reason
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.roster import open_mailbox
from agentmail.views.index.stored import restored
from agentmail.views.reading import MANY, Reading

#: A list of more than so many lists the archive, instead of a look for each message.
MANY_LISTED = 1000


class ReadingFor(Reading):
    """The reader of a mailbox for one call, which learns of it if an index is worth its cost."""

    def __init__(self, call: Call, box: Mailbox) -> None:
        super().__init__(box, home_of(call))
        self.call = call

    def __exit__(self, *_: object) -> None:
        if self.is_worth_writing():
            self.call.slow.append(self.box.identity)
        super().__exit__()


def was_addressed(inbox: OpenInbox, message: Message) -> bool:
    """True if the message is to a name that the identity had before."""
    from agentmail.core.former import former_names

    if inbox.former is None:
        try:
            inbox.former = former_names(inbox.bus, inbox.box.identity)
        except OSError:
            inbox.former = frozenset()
    return any(names.is_among(name, message.get("to"), message.get("cc")) for name in inbox.former)


def unreadable_head(
    inbox: OpenInbox, name: str, flags: list[str], error: OSError
) -> tuple[Message | None, int]:
    """What stands for a message whose file the disk does not give; None where it vanished."""
    from agentmail.message import Message
    from agentmail.verbs.check import NOT_A_FILE, UNREADABLE_FILE

    found = inbox.box.disk.stat_or_none(name, inbox.box.folder(INBOX))
    if found is None:
        return None, 0
    if not is_file(found):
        flags.append(NOT_A_FILE)
        return Message({}), 0
    flags.append(UNREADABLE_FILE)
    inbox.unreadable.append(f"{names.printable(name)}: {reason(error)}")
    return Message({}), found.st_size


def archive_names(box: Mailbox) -> frozenset[str] | None:
    """The names in the archive: where very much waits, one listing instead of a look for each message."""
    try:
        archive = box.existing(ARCHIVE)
        return frozenset(box.disk.names(archive)) if archive is not None else None
    except OSError:
        return None


def waiting_headers(call: Call, box: Mailbox, files: list[str]) -> Headers | None:
    """The headers that an index has of what waits; where it has not enough of them, it is written after the answer."""
    from agentmail.views.index.inbox import headers_of

    home = home_of(call)
    found = headers_of(box, home, files)
    if home and (found is None or len(files) - found.count() > MANY):
        call.slow.append(box.identity)
    return found


def prepare_for_many(inbox: OpenInbox, call: Call | None) -> None:
    """For a long list: what the index knows, and of a very long one the names in the archive, listed once."""
    if call is not None:
        inbox.headers = waiting_headers(call, inbox.box, inbox.names)
        if inbox.headers is not None:
            of = inbox.headers.of
            inbox.of_row = lambda name: _summary_of_row(inbox, of, name)
    if len(inbox.names[: inbox.limit]) > MANY_LISTED:
        inbox.archived = archive_names(inbox.box)


def _summary_of_row(inbox: OpenInbox, of: Callable[[str], Row | None], name: str) -> Summary | None:
    """The entry of a message about whose file nothing is odd: what is left to judge is outside of the file."""
    row = of(name)
    if row is None:
        return None
    size, plain = row
    sender, to, re, subject, thread, priority, date, stamped, seconds = restored(plain).split("\n")
    flags = inbox.flags_of_sender(sender)
    inbox.flag_outside(name[:-3], int(stamped), flags)
    return {
        "id": name[:-3],
        "file": name,
        "from": sender,
        "to": to,
        "thread": thread,
        "re": re,
        "subject": subject,
        "priority": priority,
        "date": date,
        "age": inbox.now - int(seconds),
        "size": size,
        "flags": flags,
        "workspace": "",
    }


def home_of(call: Call) -> str:
    """The home directory of the caller; empty where it is unknown, and then nothing is kept."""
    try:
        return call.environment.home()
    except Refused:
        return ""


def write_indexes(call: Call) -> None:
    """Write the index of each mailbox that was slow to read; what keeps that from being done only costs time."""
    from agentmail.views.index.file import index_of
    from agentmail.views.index.writing import write

    while call.slow:
        try:
            with open_mailbox(call.bus, call.slow.pop()) as box:
                write(index_of(box, home_of(call)), box, call.progress)
        except (OSError, AgentMailError):
            continue


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.layout import Mailbox
    from agentmail.message import Message
    from agentmail.verbs.call import Call
    from agentmail.verbs.check import OpenInbox, Summary
    from agentmail.views.index.inbox import Headers, Row
