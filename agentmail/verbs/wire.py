"""Wire: add our hooks to the settings of a host, then run each of them once and report what it said."""

from __future__ import annotations

import sys

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.hosts.base import host_names, load_install
from agentmail.verbs.call import TypedDict


class WiredEntry(TypedDict):
    """One entry of ours in Claude Code's settings; an empty matcher means always."""

    event: str
    matcher: str
    command: str


class Tried(TypedDict):
    """One hook, run once as the host would, recording nothing: whether it works, and what it said (or why not)."""

    event: str
    hook: str
    works: bool
    said: str


class Wired(TypedDict):
    """`wire`: `wired`, `already-wired`, or with `--dry-run` `would-wire` and a `diff`; `level` is user or project.

    `entries` are ours in the file at `path`; `identity` is whose mail a session in this directory gets; empty for none.
    """

    outcome: str
    level: str
    path: str
    wake: bool
    entries: list[WiredEntry]
    diff: str
    identity: str
    tried: list[Tried]
    warnings: list[str]


def wire(
    call: Call,
    host: str | None = None,
    *,
    project: str | None = None,
    wake: bool = False,
    dry_run: bool = False,
) -> Wired:
    """Add our hooks to the settings of a host, and run each once to see that it works.

    In the user's settings, or in a project's. Refused where the hooks would run twice, and where the file must not
    be changed; then the error carries in `snippet` what to add by hand.
    """
    done = load_install(known_host(host)).wire(
        call.bus.disk, call.environment, sys.executable or "", project=project, wake=wake, dry_run=dry_run
    )
    return {
        "outcome": done.outcome,
        "level": done.level,
        "path": done.path,
        "wake": done.wake,
        "entries": [entry(one) for one in done.entries],
        "diff": done.diff,
        "identity": _me(call),
        "tried": [
            {"event": one.event, "hook": one.hook, "works": one.works, "said": one.said} for one in done.runs
        ],
        "warnings": done.warnings,
    }


def known_host(name: str | None) -> str:
    """The name of a host in HOSTS; the first for none. Refused for another."""
    known = host_names()
    if name is None:
        return known[0]
    if name not in known:
        raise Refused(
            f"{names.quoted(name)} is not a host", names.NOTHING_CHANGED, f"use {' or '.join(known)}"
        )
    return name


def _me(call: Call) -> str:
    """The identity of a session in the current directory, or an empty string."""
    try:
        return call.me()
    except (AgentMailError, OSError):
        return ""


def entry(found: InstalledHook) -> WiredEntry:
    """One entry of ours as the settings hold it."""
    return {"event": found.event, "matcher": found.matcher, "command": found.command}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.base import InstalledHook
    from agentmail.verbs.call import Call
