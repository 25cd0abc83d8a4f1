"""Rename: an identity gets another name, with all its mail; who sends to the old name learns the new one."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.former import former_mailbox
from agentmail.core.fs import reason
from agentmail.core.layout import FORMER, waiting_unordered
from agentmail.core.leaving import rename as rename_identity
from agentmail.core.registry import FOR_PEOPLE_AND_PROGRAMS
from agentmail.core.roster import KnownIdentities
from agentmail.verbs.call import TypedDict
from agentmail.verbs.unregister import kept_mail, unfinished


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
    bus, old, new = call.bus, names.identity(identity), names.new_identity(name)
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
        waiting, path = kept_mail(bus, new)
        left = _without_index(call, old)
    except OSError as error:
        raise unfinished(f"rename {old}", error, f"rename {old} {new}") from error
    return {
        "outcome": "renamed" if changed else "already-renamed",
        "identity": new,
        "former": old,
        "path": path,
        "waiting": waiting,
        "warnings": [*_warnings(bus, old, new), *left] if changed else left,
    }


def _warnings(bus: Bus, identity: str, new: str) -> list[str]:
    warnings = [f"start sessions that have AGENT_MAIL_SELF={identity} again with AGENT_MAIL_SELF={new}"]
    try:
        apart = former_mailbox(bus, identity)
        if apart is not None:
            with apart:
                left = len(waiting_unordered(apart))
            if left:
                warnings.append(
                    f"{new} has other files of the same names, so {left} still wait under the old one: `agentmail check {identity}`"
                )
    except (OSError, AgentMailError):
        warnings.append(
            f"{bus.path(FORMER, identity)} cannot be read, and may have mail; see `agentmail doctor`"
        )
    return warnings


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
    from agentmail.core.layout import Bus
    from agentmail.verbs.call import Call
