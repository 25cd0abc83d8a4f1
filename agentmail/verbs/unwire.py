"""Unwire: remove our hooks from the settings of hosts, and the link to the command with the last of them."""

from __future__ import annotations

from agentmail.core.errors import AgentMailError
from agentmail.hosts.base import host_names, load_install
from agentmail.verbs.call import TypedDict
from agentmail.verbs.wire import as_error, entry, found_hosts, known_hosts


class UnwiredHost(TypedDict):
    """One host: `restored` (to the byte as before `wire`), `unwired` (only our entries went), `kept` or `not-wired`.

    `entries` are those that went, `also` says what went beside them, `kept` are files of ours that stay because they
    were changed since; `link` is the removed link to the command, or empty. Where it failed, `outcome` is the word of
    the error and `error` its text.
    """

    host: str
    title: str
    outcome: str
    path: str
    entries: list[WiredEntry]
    also: list[str]
    kept: list[str]
    link: str
    error: NotRequired[str]
    exit: NotRequired[int]


class Unwired(TypedDict):
    """`unwire`: what was done for each host."""

    hosts: list[UnwiredHost]


def unwire(call: Call, hosts: list[str] | None = None, *, project: str | None = None) -> Unwired:
    """Remove our hooks from the settings of hosts; a file that only `wire` changed is restored, byte for byte.

    Of the hosts named, else of every host found here or wired. Where others changed a file since, only our entries are
    removed; a file of ours that was changed is kept and named.
    """
    wanted = known_hosts(hosts) or _hosts_here(call)
    return {"hosts": [_unwired(call, name, project, alone=len(wanted) == 1) for name in wanted]}


def _hosts_here(call: Call) -> list[str]:
    """The hosts found here; all, where none is, so that the answer names what was looked at."""
    return found_hosts(call) or host_names()


def _unwired(call: Call, name: str, project: str | None, *, alone: bool) -> UnwiredHost:
    install = load_install(name)
    found: UnwiredHost = {
        "host": name,
        "title": install.title,
        "outcome": "",
        "path": "",
        "entries": [],
        "also": [],
        "kept": [],
        "link": "",
    }
    try:
        done = install.unwire(call.bus.disk, call.environment, project=project)
    except (AgentMailError, OSError) as problem:
        if alone:
            raise
        error = as_error(problem)
        return {**found, "outcome": error.word, "error": str(error), "exit": error.exit_code}
    return {
        **found,
        "outcome": done.outcome,
        "path": done.path,
        "entries": [entry(one) for one in done.entries],
        "also": done.also,
        "kept": done.kept,
        "link": done.link,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.verbs.call import Call
    from agentmail.verbs.wire import WiredEntry
