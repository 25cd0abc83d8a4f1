"""Unwire: remove our hooks from the settings of a host, and the link to the command with them."""

from __future__ import annotations

from agentmail.hosts.base import host_names, load_install
from agentmail.verbs.wire import entry


def unwire(bus: Bus, environment: Environment, *, project: str | None, host: str = "") -> Unwired:
    """Restore the file that `wire` changed; where others changed it since, remove only our entries.

    `host` is a name of hosts.base.HOSTS; empty for the first.
    """
    done = load_install(host or host_names()[0]).unwire(bus.disk, environment, project=project)
    return {
        "outcome": done.outcome,
        "path": done.path,
        "entries": [entry(one) for one in done.entries],
        "link": done.link,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Unwired
