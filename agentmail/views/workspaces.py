"""The threads that a mailbox has with another identity, and the workspaces in which that identity was addressed."""

from __future__ import annotations

from agentmail.core.addresses import workspaces_of


class PlacedThread:
    """A thread of a mailbox as an address names it: its paths are those that its messages give the recipient."""

    __slots__ = ("has_part", "name", "paths", "subject")

    def __init__(self, name: str, subject: str, paths: list[str], *, has_part: bool) -> None:
        self.name = name
        self.subject = subject
        self.paths = paths
        #: False where nobody has sent to the recipient in it, or heard from it.
        self.has_part = has_part


def placed_threads(
    box: Mailbox, recipient: str, reader: Reader, **watch: Unpack[Watch]
) -> list[PlacedThread]:
    """The threads of a mailbox, the one with the latest message first, with the paths of the recipient."""
    sums = reader.sums(box, **watch)
    paths: dict[str, dict[str, None]] = {}
    known: dict[str, str] = {"": ""}  # many messages have one line
    for entry in reader.headers(box):
        line = entry.message.get("workspace")
        if line not in known:
            known[line] = workspaces_of(line).get(recipient, "")
        if known[line]:
            paths.setdefault(entry.thread, {})[known[line]] = None
    return [
        PlacedThread(
            one.name,
            one.subject,
            list(paths.get(one.name, ())),
            has_part=one.name in paths or recipient in one.parties,
        )
        for one in reversed(sums)
    ]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Reader
    from agentmail.views.threads import Watch
