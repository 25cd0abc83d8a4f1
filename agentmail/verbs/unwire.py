"""Unwire: remove our hooks from the settings of a host, and the link to the command with them."""

from __future__ import annotations

from agentmail.hosts.base import load_install
from agentmail.verbs.call import TypedDict
from agentmail.verbs.wire import entry, known_host


class Unwired(TypedDict):
    """`unwire`: `restored` (to the byte as before `wire`), `unwired` (only our entries went), or `not-wired`.

    `entries` are those that went; `link` is the removed link to the command, or empty.
    """

    outcome: str
    path: str
    entries: list[WiredEntry]
    link: str


def unwire(call: Call, host: str | None = None, *, project: str | None = None) -> Unwired:
    """Remove our hooks from the settings of a host; a file that only `wire` changed is restored, byte for byte.

    Where others changed it since, only our entries are removed.
    """
    done = load_install(known_host(host)).unwire(call.bus.disk, call.environment, project=project)
    return {
        "outcome": done.outcome,
        "path": done.path,
        "entries": [entry(one) for one in done.entries],
        "link": done.link,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
    from agentmail.verbs.wire import WiredEntry
