"""What a host is to the rest of the program: the protocols `Host` and `Install`, and `HOSTS`, the list of all (agentmail/hosts/__init__.py).

To add a host: a package with `dialect.py` (its `HOST`) and `install.py` (its `INSTALL`), and a line in `HOSTS`.
"""

from __future__ import annotations

import os

from agentmail import hosts

PROBLEM, NOTE = "problem", "note"
#: What a host can offer to mail, in the order of the table in docs/hosts.md.
CAPABILITIES = ("notice", "guard", "strict", "wake", "tools", "session", "trust")


def host_names() -> list[str]:
    """The names of all hosts, in the order of `HOSTS`."""
    return [name for name, _, _ in hosts.HOSTS]


def load_host(name: str) -> Host:
    """The dialect of a host. KeyError for a name that is not listed."""
    host: Host = __import__(f"{_package(name)}.dialect", fromlist=["HOST"]).HOST
    return host


def load_install(name: str) -> Install:
    """The installer of a host. KeyError for a name that is not listed."""
    install: Install = __import__(f"{_package(name)}.install", fromlist=["INSTALL"]).INSTALL
    return install


def _package(name: str) -> str:
    return {known: package for known, package, _ in hosts.HOSTS}[name]


def found_here(environment: Environment, program: str, folder: str) -> str:
    """Why a host is taken to be on this machine: its program on PATH, or its folder; empty where there is neither."""
    for place in environment.variables.get("PATH", "").split(":"):
        path = os.path.join(place, program)
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return folder if os.path.isdir(folder) else ""


def is_any_wired(disk: Disk, environment: Environment, directory: str) -> bool:
    """Do the sessions of any host that are started in this directory run our hooks?"""
    return any(load_install(name).is_wired(disk, environment, directory) for name in host_names())


class WireOptions:
    """How to wire.

    python    the interpreter that the hooks run with
    project   the directory of the project to wire; None for all sessions of the user
    wake      also wake idle sessions when mail comes
    strict    also set the host's own guard, which its shell tools obey too
    trust     also tell the host that the user trusts our hooks and our server
    mcp       also add our server of tools to the user's settings
    dry_run   change nothing
    """

    __slots__ = ("dry_run", "mcp", "project", "python", "strict", "trust", "wake")

    def __init__(
        self,
        python: str,
        *,
        project: str | None = None,
        wake: bool = False,
        strict: bool = False,
        trust: bool = False,
        mcp: bool = False,
        dry_run: bool = False,
    ) -> None:
        self.python = python
        self.project = project
        self.wake = wake
        self.strict = strict
        self.trust = trust
        self.mcp = mcp
        self.dry_run = dry_run


class InstalledHook:
    """One hook of ours as the settings hold it; an empty matcher means that it always runs."""

    __slots__ = ("command", "event", "matcher")

    def __init__(self, event: str, matcher: str, command: str) -> None:
        self.event = event
        self.matcher = matcher
        self.command = command


class DryRun:
    """One hook, run once without recording anything: whether it works, and what it said, or why it does not work."""

    __slots__ = ("event", "hook", "said", "works")

    def __init__(self, event: str, hook: str, works: bool, said: str) -> None:
        self.event = event
        self.hook = hook
        self.works = works
        self.said = said


class WireResult:
    """What `Install.wire` did to one host.

    outcome   `wired`, `already-wired`, or for a dry run `would-wire`
    level     `user` or `project`
    path      the file that starts our hooks: settings of the host, or a file that is ours as a whole
    wake      whether the hooks wake idle sessions
    entries   our entries in the file as it now is
    server    the file with the entry that starts our server of tools; empty where it was not asked for
    also      sentences about what was done, or would be, beside that file
    diff      for a dry run, what would change, as a unified diff
    runs      what each new or completed entry did when it was run once
    warnings  sentences for the user
    """

    __slots__ = ("also", "diff", "entries", "level", "outcome", "path", "runs", "server", "wake", "warnings")

    def __init__(
        self, outcome: str, level: str, path: str, *, wake: bool, entries: list[InstalledHook]
    ) -> None:
        self.outcome = outcome
        self.level = level
        self.path = path
        self.wake = wake
        self.entries = entries
        self.also: list[str] = []
        self.diff = ""
        self.server = ""
        self.runs: list[DryRun] = []
        self.warnings: list[str] = []


class UnwireResult:
    """What `Install.unwire` did: `restored` (every byte as before `wire`), `unwired`, `kept` or `not-wired`.

    `entries` are those that were removed; `link` is the removed link to the command, or empty; `also` are sentences
    about what was done beside the file; `kept` are the paths of files of ours that stay, because they were changed.
    """

    __slots__ = ("also", "entries", "kept", "link", "outcome", "path")

    def __init__(self, outcome: str, path: str, entries: list[InstalledHook], link: str) -> None:
        self.outcome = outcome
        self.path = path
        self.entries = entries
        self.link = link
        self.also: list[str] = []
        self.kept: list[str] = []


class Remark:
    """One thing that `Install.look` found: its level (`PROBLEM` or `NOTE`), what it is, and how to fix it."""

    __slots__ = ("fix", "level", "what")

    def __init__(self, level: str, what: str, fix: str = "") -> None:
        self.level = level
        self.what = what
        self.fix = fix


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts import Event

    class Host(Protocol):
        """How a host and its hooks exchange data. Answers are bytes for standard output."""

        @property
        def name(self) -> str:
            """The name in `HOSTS` and in session facts."""

        @property
        def wake_code(self) -> int:
            """The exit code with which a hook wakes an idle session, its notice on standard error."""

        def session(self, variables: Mapping[str, str]) -> str:
            """The session id in the variables, unchecked, or empty."""

        def started_in(self, variables: Mapping[str, str]) -> str:
            """The directory that the host was started in, unchecked, or empty."""

        def version(self, variables: Mapping[str, str]) -> str:
            """The version of the host as a variable names it, unchecked; empty where only an event may name it."""

        def env_file(self, variables: Mapping[str, str]) -> str:
            """A file whose shell lines set variables for the commands of the session; empty for none."""

        def event(self, raw: bytes) -> Event | None:
            """The event that a payload describes; None for input that is not understood."""

        def notice(self, event: Event, text: str) -> bytes:
            """The answer that puts a text before the model."""

        def deny(self, event: Event, why: str) -> bytes:
            """The answer that refuses the call of a tool."""

        def watch(self, event: Event, path: str) -> bytes:
            """The answer that has a directory watched for new files."""

    class Install(Protocol):
        """Puts our hooks into a host's settings. Errors are those of core.errors."""

        @property
        def title(self) -> str:
            """The name that people know."""

        @property
        def capabilities(self) -> Mapping[str, str]:
            """What a session of this host gets, for each of `CAPABILITIES`: how, or why not."""

        def found(self, environment: Environment) -> str:
            """Why the host is taken to be on this machine; empty where it is not."""

        def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
            """Complete our entries in the user's settings or in a project's, then run each once.

            With `dry_run` nothing changes. An error that leaves the settings to the user carries `path` and
            `snippet`, the text to add by hand, in its details.
            """

        def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
            """Remove our entries; restore the file where nothing else changed it since `wire`."""

        def is_wired(self, disk: Disk, environment: Environment, directory: str) -> bool:
            """Does a session in this directory run our hooks, as far as can be read? No error."""

        def look(self, disk: Disk, environment: Environment) -> list[Remark]:
            """Examine the settings that a session in the current directory reads. Changes nothing."""
