"""Unwire: take our entries out of Claude Code's settings again, and the command's link with them."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.hosts.claude_code.command_link import remove_link
from agentmail.hosts.claude_code.entries import own_root
from agentmail.hosts.claude_code.levels import Look, levels, look, settings_path
from agentmail.hosts.claude_code.own_hooks import PROGRAMS, words_from
from agentmail.hosts.claude_code.wiring import SettingsFile
from agentmail.verbs.call import TypedDict
from agentmail.verbs.wire import entry


class Unwired(TypedDict):
    """`unwire`: `restored` (to the byte as before `wire`), `unwired` (only our entries went), or `not-wired`.

    `entries` are those that went; `link` is the removed link to the command, or empty.
    """

    outcome: str
    path: str
    entries: list[WiredEntry]
    link: str


def unwire(call: Call, *, project: str | None = None) -> Unwired:
    """Take our hooks out of Claude Code's settings; a file that only `wire` changed is as it was, to the byte.

    Where others changed it since, only our entries are taken out.
    """
    disk, environment = call.bus.disk, call.environment
    _, directory, path = settings_path(environment, project)
    try:
        file = SettingsFile(disk, path)
        ours = Look(path, file.read()).ours
        restored = file.unwire()
    except Refused as error:
        raise Refused(
            error.what, error.now, f"mend that, then again; ours run {' or '.join(PROGRAMS)}"
        ) from None
    except OSError as error:
        raise TryAgain(
            f"{names.printable(path)} cannot be changed: {reason(error)}",
            names.NOTHING_CHANGED,
            "mend that, then again",
        ) from error
    roots = {root for one in ours if (root := _root(one))}
    link = "" if _runs_elsewhere(disk, environment, directory) else _unlinked(disk, environment, roots)
    return {
        "outcome": "restored" if restored else "unwired" if ours else "not-wired",
        "path": path,
        "entries": [entry(one) for one in ours],
        "link": link,
    }


def _root(handler: Handler) -> str:
    """The installation that an entry runs, wherever it is and whether or not it is still there."""
    words = words_from(handler.command, handler.args) or [""]
    return os.path.dirname(os.path.dirname(words[0])) if os.path.isabs(words[0]) else ""


def _runs_elsewhere(disk: Disk, environment: Environment, directory: str) -> bool:
    """Do hooks that would make the link again still run: at another level, or as a plugin?"""
    for _, path in levels(environment, directory):
        try:
            found = look(disk, path)
        except (AgentMailError, OSError):
            continue
        if found.ours or found.plugin:
            return True
    return False


def _unlinked(disk: Disk, environment: Environment, roots: set[str]) -> str:
    try:
        return remove_link(disk, environment.home(), {*roots, own_root()})
    except (OSError, AgentMailError) as error:
        why = reason(error) if isinstance(error, OSError) else error.what
        disk.notes.append(f"the link to the command stays: {why}")
        return ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.claude_code.read_settings import Handler
    from agentmail.verbs.call import Call
    from agentmail.verbs.wire import WiredEntry
