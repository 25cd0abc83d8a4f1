"""How verbs read a mailbox: by its index where this machine has one, which is written after the answer."""

from __future__ import annotations

from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.roster import open_mailbox
from agentmail.views.reading import Reading


class ReadingFor(Reading):
    """The reader of a mailbox for one call, which learns of it if an index is worth its cost."""

    def __init__(self, call: Call, box: Mailbox) -> None:
        super().__init__(box, home_of(call))
        self.call = call

    def __exit__(self, *_: object) -> None:
        if self.is_worth_writing():
            self.call.slow.append(self.box.identity)
        super().__exit__()


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
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call
