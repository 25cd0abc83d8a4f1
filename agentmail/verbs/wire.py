"""Wire: add our hooks to the settings of a host, then run each of them once and report what it said."""

from __future__ import annotations

from agentmail.core.errors import AgentMailError
from agentmail.core.whoami import who_am_i
from agentmail.hosts.base import host_names, load_install


def wire(
    bus: Bus,
    environment: Environment,
    python: str,
    *,
    project: str | None,
    wake: bool,
    dry_run: bool,
    host: str = "",
) -> Wired:
    """Complete our hooks in the user's settings, or in a project's; with `dry_run` only say what would change.

    `host` is a name of hosts.base.HOSTS; empty for the first. Refused where the hooks would run twice, and where
    the file must not be changed; then the error carries in `snippet` what to add by hand.
    """
    install = load_install(host or host_names()[0])
    done = install.wire(bus.disk, environment, python, project=project, wake=wake, dry_run=dry_run)
    return {
        "outcome": done.outcome,
        "level": done.level,
        "path": done.path,
        "wake": done.wake,
        "entries": [entry(one) for one in done.entries],
        "diff": done.diff,
        "identity": identity(bus, environment),
        "tried": [
            {"event": one.event, "hook": one.hook, "works": one.works, "said": one.said} for one in done.runs
        ],
        "warnings": done.warnings,
    }


def identity(bus: Bus, environment: Environment) -> str:
    """The identity of a session in the current directory, or an empty string."""
    try:
        return who_am_i(bus, environment)
    except (AgentMailError, OSError):
        return ""


def entry(found: Entry) -> WiredEntry:
    """One entry of ours as the settings hold it."""
    return {"event": found.event, "matcher": found.matcher, "command": found.command}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.hosts.base import Entry
    from agentmail.verbs.outcomes import Wired, WiredEntry
