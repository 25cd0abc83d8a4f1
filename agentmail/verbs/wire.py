"""Wire: add our hooks, and where asked our tools, to the settings of hosts, then run each of them once and report what it said."""

from __future__ import annotations

import sys

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.hosts.base import WireOptions, host_names, load_install
from agentmail.verbs.call import TypedDict


class WiredEntry(TypedDict):
    """One entry of ours in a host's settings; an empty matcher means always."""

    event: str
    matcher: str
    command: str


class Tried(TypedDict):
    """One hook, run once as the host would, recording nothing: whether it works, and what it said (or why not)."""

    event: str
    hook: str
    works: bool
    said: str


class WiredHost(TypedDict):
    """One host: `wired`, `already-wired`, or with `--dry-run` `would-wire` and a `diff`; `level` is user or project.

    `entries` are ours in the file at `path`, `also` says what was done beside it, and `server` is the file with the entry
    that starts our server of tools, or empty. Where wiring failed, `outcome` is the
    word of the error, `error` its text, and `snippet` what to add by hand.
    """

    host: str
    title: str
    outcome: str
    level: str
    path: str
    wake: bool
    server: str
    entries: list[WiredEntry]
    diff: str
    also: list[str]
    tried: list[Tried]
    error: NotRequired[str]
    exit: NotRequired[int]
    snippet: NotRequired[str]


class Wired(TypedDict):
    """`wire`: what was done for each host; `identity` is whose mail a session in this directory gets; empty for none."""

    identity: str
    hosts: list[WiredHost]
    warnings: list[str]


def wire(
    call: Call,
    hosts: list[str] | None = None,
    *,
    project: str | None = None,
    wake: bool = False,
    strict: bool = False,
    trust: bool = False,
    mcp: bool = False,
    dry_run: bool = False,
) -> Wired:
    """Add our hooks to the settings of hosts, and run each once to see that it works.

    Of the hosts named, else of every host found here: its program is on PATH, or its folder is there. In the user's
    settings, or in a project's. Refused where the hooks would run twice, and where the file must not be changed; then
    the error carries in `snippet` what to add by hand.
    """
    if mcp and project is not None:
        raise Refused(
            "--mcp is for all projects, and --project names one",
            names.NOTHING_CHANGED,
            "`agentmail wire <host> --mcp`: the tools act for the identity of the directory that they are used in",
        )
    options = WireOptions(
        sys.executable or "",
        project=project,
        wake=wake,
        strict=strict,
        trust=trust,
        mcp=mcp,
        dry_run=dry_run,
    )
    wanted = known_hosts(hosts) or found_hosts(call)
    if not wanted:
        raise Refused(
            "no agent program was found here, on PATH or by its folder",
            names.NOTHING_CHANGED,
            f"name it: `agentmail wire <host>`, one of {', '.join(host_names())}",
        )
    warnings: dict[str, list[str]] = {}
    done = [_wired(call, name, options, warnings, alone=len(wanted) == 1) for name in wanted]
    return {"identity": _me(call), "hosts": done, "warnings": each_once(warnings, len(wanted))}


def each_once(warnings: dict[str, list[str]], hosts: int) -> list[str]:
    """Each warning with the hosts that it is about; without them where that is every host."""
    return [
        warning if len(titles) == hosts else f"{', '.join(titles)}: {warning}"
        for warning, titles in warnings.items()
    ]


def _wired(
    call: Call, name: str, options: WireOptions, warnings: dict[str, list[str]], *, alone: bool
) -> WiredHost:
    """Wire one host, and add the titles of hosts to their warnings. One that fails does not keep the others from it."""
    install = load_install(name)
    try:
        done = install.wire(call.bus.disk, call.environment, options)
    except (AgentMailError, OSError) as problem:
        if alone:
            raise
        error = as_error(problem)
        return {
            **_nothing(name, install.title),
            "outcome": error.word,
            "path": str(error.details.get("path", "")),
            "error": str(error),
            "exit": error.exit_code,
            "snippet": str(error.details.get("snippet", "")),
        }
    for warning in done.warnings:
        warnings.setdefault(warning, []).append(install.title)
    return {
        "host": name,
        "title": install.title,
        "outcome": done.outcome,
        "level": done.level,
        "path": done.path,
        "wake": done.wake,
        "server": done.server,
        "entries": [entry(one) for one in done.entries],
        "diff": done.diff,
        "also": done.also,
        "tried": [
            {"event": one.event, "hook": one.hook, "works": one.works, "said": one.said} for one in done.runs
        ],
    }


def as_error(error: AgentMailError | OSError) -> AgentMailError:
    """An error of the system as one of ours."""
    if isinstance(error, AgentMailError):
        return error
    return TryAgain(reason(error), "what was changed so far stays", "fix that, then try again")


def _nothing(name: str, title: str) -> WiredHost:
    return {
        "host": name,
        "title": title,
        "outcome": "",
        "level": "",
        "path": "",
        "wake": False,
        "server": "",
        "entries": [],
        "diff": "",
        "also": [],
        "tried": [],
    }


def known_hosts(given: list[str] | None) -> list[str]:
    """The hosts named, each once; none for none. Refused for a name that is no host."""
    known = host_names()
    for name in given or ():
        if name not in known:
            near = names.near(name.lower(), known)[:1]
            step = (
                f"did you mean {near[0]}?"
                if near
                else f"use {' or '.join(known)}, or no name for every host found here"
            )
            raise Refused(f"{names.quoted(name)} is not a host", names.NOTHING_CHANGED, step, near=near)
    return list(dict.fromkeys(given or ()))


def found_hosts(call: Call) -> list[str]:
    """The hosts that are on this machine: the program is on PATH, or its folder is there."""
    return [name for name in host_names() if load_install(name).found(call.environment)]


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
    from typing import NotRequired

    from agentmail.hosts.base import InstalledHook
    from agentmail.verbs.call import Call
