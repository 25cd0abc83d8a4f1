"""Keeps our hooks from running twice: Claude Code adds up the settings of user and project, and plugins too."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.hosts.claude_code.levels import LOCAL, PROJECT, USER, levels, look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.claude_code.levels import SettingsFound

TWICE = "every notice would come twice"


def refuse_duplicates(disk: Disk, environment: Environment, directory: str, level: str) -> list[str]:
    """Refuse to wire a level (user, or the project in this directory) where our hooks already run.

    Returns warnings about what may duplicate notices in this directory alone, or keeps hooks from running.
    """
    warnings: list[str] = []
    for other, path in levels(environment, directory):
        try:
            found = look(disk, path)
        except (AgentMailError, OSError) as error:
            if other in (USER, level):
                raise
            warnings.append(f"{names.printable(path)} is not taken into account: {error}")
            continue
        binds = other == USER or level == PROJECT
        if found.plugin and binds:
            raise Refused(
                f"the plugin {names.printable(found.plugin)} is switched on in {names.printable(path)}: {TWICE}",
                names.NOTHING_CHANGED,
                f"leave it at the plugin, or `claude plugin uninstall {names.printable(found.plugin)}` first",
            )
        if found.ours and other != level and binds and other != LOCAL:
            raise Refused(
                f"{names.printable(path)} is wired already, for every directory: {TWICE}",
                names.NOTHING_CHANGED,
                "leave it at that, or `agentmail unwire` first",
            )
        warnings += _warnings(found, is_own=other == level)
    return warnings


def _warnings(found: SettingsFound, *, is_own: bool) -> list[str]:
    path = names.printable(found.path)
    warnings = []
    if found.disabled:
        warnings.append(f"{path} says disableAllHooks, so no hook runs; take that out of it")
    if (found.ours and not is_own) or found.plugin:
        warnings.append(f"{path} has our hooks too: in sessions started there {TWICE}")
    warnings += [
        f"the plugin {names.printable(name)} is installed and switched off in {path}; switched on, {TWICE}"
        for name, enabled in found.plugins.items()
        if not enabled
    ]
    return warnings
