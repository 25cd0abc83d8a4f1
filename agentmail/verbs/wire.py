"""Wire: put our entries into Claude Code's settings, then run each of them once and say what it said."""

from __future__ import annotations

import sys

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.core.whoami import who_am_i
from agentmail.hosts.claude_code import settings
from agentmail.hosts.claude_code.doubles import refuse_doubles
from agentmail.hosts.claude_code.entries import entries, own_root, passing_place
from agentmail.hosts.claude_code.levels import Look, refuse_foreign, settings_path
from agentmail.hosts.claude_code.trial import fire
from agentmail.hosts.claude_code.wiring import SettingsFile
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

    `entries` are ours in the file at `path`; `identity` is whose mail a session in this directory gets, if anybody's.
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


def wire(call: Call, *, project: str | None = None, wake: bool = False, dry_run: bool = False) -> Wired:
    """Put our hooks into Claude Code's settings, and run each once to see that it works.

    In the user's settings, or in a project's; with `dry_run` only say what would change.
    Refused where they would run twice, and where the file is not to be changed; then the error carries in
    `snippet` what to add by hand. Wake that is wired already is completed too.
    """
    bus, environment, python = call.bus, call.environment, sys.executable or ""
    disk, root = bus.disk, own_root()
    level, directory, path = settings_path(environment, project)
    wanted = entries(root, python, wake=wake)
    with _Explained(path, wanted):
        there = Look(path, SettingsFile(disk, path).read()).ours
    warnings = refuse_doubles(disk, environment, directory, level)
    wake = wake or any(one.runs[0] == WAKE for one in there)
    wanted = entries(root, python, wake=wake)
    with _Explained(path, wanted):
        outcome, ours, diff = _planned(disk, path, wanted) if dry_run else _done(disk, path, wanted)
    if passing := passing_place(environment, root, python):
        warnings.append(PASSING.format(names.printable(passing)))
    return {
        "outcome": outcome,
        "level": level,
        "path": path,
        "wake": wake,
        "entries": [entry(one) for one in ours],
        "diff": diff,
        "identity": identity(bus, environment),
        "tried": [
            tried(fire(one, environment, bus.root)) for one in ours if not dry_run and is_in(one, wanted)
        ],
        "warnings": warnings,
    }


WAKE = "mail-wake"
PASSING = (
    "this runs from {}, which may not stay, and the notices end with it; "
    "install agentmail (`pipx install agentmail-bus`), then wire again"
)


class _Explained:
    """Lets an error about a settings file carry what to add to it by hand."""

    def __init__(self, path: str, wanted: Entries) -> None:
        self.path = path
        self.wanted = wanted

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused | TryAgain):
            error.details.update(path=self.path, snippet=settings.snippet(self.wanted))
        elif isinstance(error, OSError):
            raise TryAgain(
                f"{names.printable(self.path)} cannot be changed: {reason(error)}",
                names.NOTHING_CHANGED,
                "mend that, then again",
                path=self.path,
                snippet=settings.snippet(self.wanted),
            ) from error


def _done(disk: Disk, path: str, wanted: Entries) -> tuple[str, list[Handler], str]:
    """Wire: the outcome, our entries as they now are, and no diff."""
    changed, data = SettingsFile(disk, path).wire(wanted)
    return "wired" if changed else "already-wired", Look(path, data).ours, ""


def _planned(disk: Disk, path: str, wanted: Entries) -> tuple[str, list[Handler], str]:
    """What wiring would do: the outcome, our entries as they are, and a unified diff."""
    from difflib import unified_diff

    refuse_foreign(path)
    data = SettingsFile(disk, path).read()
    old, new = data or b"", settings.wire(data or b"", wanted)
    lines = unified_diff(_lines(old), _lines(new), "/dev/null" if data is None else path, path, lineterm="")
    return "already-wired" if new is data else "would-wire", Look(path, data).ours, "\n".join(lines)


def _lines(data: bytes) -> list[str]:
    *lines, last = data.decode().split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def identity(bus: Bus, environment: Environment) -> str:
    """Whose mail a session in the current directory gets, or an empty string."""
    try:
        return who_am_i(bus, environment)
    except (AgentMailError, OSError):
        return ""


def is_in(handler: Handler, wanted: Entries) -> bool:
    """Is this one of the entries, to the letter?"""
    hooks = (hook for group in wanted.get(handler.event, ()) for hook in group["hooks"])
    return handler.command in [hook["command"] for hook in hooks]


def entry(handler: Handler) -> WiredEntry:
    """One entry of ours as the settings hold it."""
    command = " ".join([handler.command, *(handler.args or ())])
    return {"event": handler.event, "matcher": handler.matcher or "", "command": command}


def tried(fired: Fired) -> Tried:
    """What one hook did when it was run."""
    return {"event": fired.event, "hook": fired.name, "works": fired.works, "said": fired.said}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus
    from agentmail.hosts.claude_code.entries import Entries
    from agentmail.hosts.claude_code.read_settings import Handler
    from agentmail.hosts.claude_code.trial import Fired
    from agentmail.verbs.call import Call
