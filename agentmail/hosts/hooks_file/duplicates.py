"""Keeps our hooks from running twice: hosts add up the settings of user and project, and plugins too.

The same command in several settings files runs once; two commands for one hook both run.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.hosts.hooks_file.host import LOCAL, MANAGED, PROJECT, USER
from agentmail.hosts.hooks_file.pairing import Pair, hooks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.hooks_file.host import HooksHost, SettingsFound
    from agentmail.hosts.hooks_file.pairing import Entries
    from agentmail.hosts.hooks_file.read_settings import HookEntry

    #: Event, hook and its arguments -> the commands that run it.
    Commands = dict[tuple[str, ...], set[str]]

TWICE = "every notice would come twice"
ONCE = "the commands are the same, and run once"


def run_twice(one: Commands, other: Commands) -> bool:
    """Does the host run a hook of ours twice if both are in its settings?"""
    return any(one[hook] != other[hook] for hook in one.keys() & other.keys())


def found_commands(ours: list[HookEntry]) -> Commands:
    """The commands of our entries in a settings file."""
    commands: Commands = {}
    for one in ours:
        line = " ".join([one.command, *(one.args or ())])
        commands.setdefault((one.event, *one.runs), set()).add(line)
    return commands


def wanted_commands(entries: Entries) -> Commands:
    """The commands of the entries that `wire` would write."""
    commands: Commands = {}
    for event, groups in entries.items():
        for one in (Pair(group, hook) for group in groups for hook in hooks_of(group)):
            commands.setdefault((event, *one.runs), set()).add(" ".join([one.run[0], *(one.run[1] or ())]))
    return commands


def refuse_duplicates(
    host: HooksHost, disk: Disk, environment: Environment, directory: str, level: str, wanted: Entries
) -> list[str]:
    """Refuse to wire a level (user, or the project in this directory) where our hooks already run.

    Returns warnings about what may duplicate notices in this directory alone, keeps hooks from running, or has them
    look into another bus.
    """
    warnings: list[str] = []
    commands = wanted_commands(wanted)
    files: list[tuple[str, SettingsFound]] = []
    for other, path in host.levels(environment, directory):
        try:
            found = host.look(disk, path)
        except (AgentMailError, OSError) as error:
            if other in (USER, level):
                raise
            warnings.append(f"{names.printable(path)} is not taken into account: {error}")
            continue
        files.append((other, found))
        twice = run_twice(found_commands(found.ours), commands)
        if other in (USER, MANAGED) or level == PROJECT:
            _refuse(host, other, found, is_own=other == level, twice=twice)
        warnings += _warnings(found, is_own=other == level, twice=twice)
    return [*(what for what, _ in host.stops(files)), *warnings, *host.other_bus(environment, files)]


def _refuse(host: HooksHost, level: str, found: SettingsFound, *, is_own: bool, twice: bool) -> None:
    path = names.printable(found.path)
    if found.plugin:
        plugin = names.printable(found.plugin)
        raise Refused(
            f"the plugin {plugin} is switched on in {path}: {TWICE}",
            names.NOTHING_CHANGED,
            f"use the plugin alone, or run `{host.program} plugin uninstall {plugin}` first",
        )
    if found.ours and not is_own and level != LOCAL:
        raise Refused(
            f"{path} is wired already, for every directory: {TWICE if twice else ONCE}",
            names.NOTHING_CHANGED,
            f"keep that, or run `agentmail unwire {host.name}` first",
        )


def _warnings(found: SettingsFound, *, is_own: bool, twice: bool) -> list[str]:
    path = names.printable(found.path)
    warnings = []
    if (found.ours and not is_own) or found.plugin:
        outcome = TWICE if twice or found.plugin else ONCE
        warnings.append(f"{path} has our hooks too: in sessions started there {outcome}")
    warnings += [
        f"the plugin {names.printable(name)} is installed and switched off in {path}; switched on, {TWICE}"
        for name, enabled in found.plugins.items()
        if not enabled
    ]
    return warnings
