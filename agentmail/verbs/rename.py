"""Rename: an identity gets another name, with all its mail; who sends to the old name learns the new one."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.core.layout import waiting_unordered
from agentmail.core.leaving import rename as rename_identity
from agentmail.core.registry import FOR_PEOPLE_AND_PROGRAMS
from agentmail.core.roster import KnownIdentities, open_mailbox
from agentmail.verbs.call import TypedDict


class Renamed(TypedDict):
    """`rename`: `renamed`, or `already-renamed`. `waiting` counts what waits under the new name."""

    outcome: str
    identity: str
    former: str
    path: str
    waiting: int
    warnings: list[str]


def rename(call: Call, identity: str, name: str) -> Renamed:
    """Give an identity another name; its mail moves with it, and a message to the old name is refused with the new one."""
    bus, old, new = call.bus, names.identity(identity), names.identity(name)
    if old == new:
        raise Refused(f"{old} has that name already", names.NOTHING_CHANGED, "choose another name")
    try:
        row = KnownIdentities(bus).rows.get(old)
        if new in FOR_PEOPLE_AND_PROGRAMS and row and not row.kind:
            raise Refused(
                f"{new} is reserved for people and programs, and {old} is registered as an agent",
                names.NOTHING_CHANGED,
                "choose another name",
            )
        changed = rename_identity(bus, old, new)
        with open_mailbox(bus, new) as box:
            waiting, path = len(waiting_unordered(box)), box.path()
        left = _without_index(call, old)
    except OSError as error:
        raise TryAgain(
            f"cannot rename {old}: {reason(error)}",
            "its mail is kept",
            f"run `agentmail rename {old} {new}` again",
        ) from error
    return {
        "outcome": "renamed" if changed else "already-renamed",
        "identity": new,
        "former": old,
        "path": path,
        "waiting": waiting,
        "warnings": [f"a session that has AGENT_MAIL_SELF={old} has to be started with {new}", *left]
        if changed
        else left,
    }


def _without_index(call: Call, old: str) -> list[str]:
    """Remove the index under the old name, which nobody would read again; a warning where that fails."""
    from agentmail.verbs.reading import home_of
    from agentmail.views.index.file import IndexFile

    home = home_of(call)
    file = IndexFile(call.bus.disk, home, call.bus.root, old)
    try:
        if home:
            file.remove()
    except OSError as error:
        return [f"{file.path} holds text of messages and could not be removed: {reason(error)}"]
    return []


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
