"""Claude Code's settings: where they are, and which of them decide whether our hooks run, and how often."""

from __future__ import annotations

import os
import sys

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.claude_code.surroundings import other_bus, stops
from agentmail.hosts.hooks_file.command import ROOT, expanded_group
from agentmail.hosts.hooks_file.host import LOCAL, MANAGED, PROJECT, USER, HooksHost, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.core.environment import Environment
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.hooks_file.host import Files, SettingsFound
    from agentmail.hosts.hooks_file.read_settings import Settings

#: The plugin's name in .claude-plugin/plugin.json.
PLUGIN = "agent-mail"
PLUGIN_ROOT = "${CLAUDE_PLUGIN_ROOT}"
LOCAL_FILE = "settings.local.json"
#: Where whoever manages a machine puts settings: this file, and those of the directory beside it.
MANAGED_FILE, MANAGED_FOLDER = "managed-settings.json", "managed-settings.d"
MANAGED_PLACES = {"darwin": "/Library/Application Support/ClaudeCode"}


class ClaudeCodeHost(HooksHost):
    """Claude Code, whose entries are those of hooks.json, and who adds up user, project, local and managed settings."""

    name = "claude-code"
    title = "Claude Code"
    program = "claude"
    folder_name = ".claude"
    folder_variable = "CLAUDE_CONFIG_DIR"
    file_name = "settings.json"

    def levels(self, environment: Environment, directory: str) -> list[tuple[str, str]]:
        """The files that a session in this directory reads, as level and path, each once; a later one overrides."""
        user = self.user_settings(environment)
        found = [(USER, user)]
        for level, name in ((PROJECT, self.file_name), (LOCAL, LOCAL_FILE)):
            path = os.path.join(directory, self.folder_name, name)
            if os.path.realpath(path) != os.path.realpath(user):
                found.append((level, path))
        return found + [(MANAGED, path) for path in _managed()]

    def read_more(self, found: SettingsFound, parsed: Settings) -> None:
        """Read the switches, the variables and the plugins."""
        found.disabled = value_of(parsed, "disableAllHooks") is True
        found.only_managed = value_of(parsed, "allowManagedHooksOnly") is True
        variables = value_of(parsed, "env")
        found.variables = variables if isinstance(variables, dict) else {}
        plugins = value_of(parsed, "enabledPlugins")
        for name, value in plugins.items() if isinstance(plugins, dict) else ():
            if name.partition("@")[0] == PLUGIN:
                found.plugins[name] = value is not False

    def entries(self, root: str, python: str, *, wake: bool) -> Entries:
        """The entries of hooks.json, and with `wake` of hooks/wake.json."""
        found: Entries = {}
        for name in ["hooks.json", *(["hooks/wake.json"] if wake else [])]:
            for event, groups in _source(os.path.join(root, name)).items():
                found.setdefault(event, []).extend(expanded_group(group, root, python) for group in groups)
        return found

    def variables(self, environment: Environment, directory: str) -> dict[str, str]:
        """The variables of a hook that runs in this directory, in no session."""
        found = {**super().variables(environment, directory), "CLAUDE_PROJECT_DIR": directory}
        found.pop("CLAUDE_ENV_FILE", None)
        return found

    def stops(self, files: Files) -> list[tuple[str, str]]:
        """Why our hooks do not run, each with its fix."""
        return stops(files)

    def other_bus(self, environment: Environment, files: Files) -> list[str]:
        """Why a session may look into another bus than this shell; empty where both are the same."""
        return other_bus(environment, files)


def _managed() -> list[str]:
    """The managed settings files of this machine; nearly always none."""
    place = MANAGED_PLACES.get(sys.platform, "/etc/claude-code")
    folder = os.path.join(place, MANAGED_FOLDER)
    names_there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names_there if name.endswith(".json") and name[0] != "."]
    file = os.path.join(place, MANAGED_FILE)
    return [file, *paths] if os.path.lexists(file) else paths


def _source(path: str) -> Mapping[str, list[dict[str, object]]]:
    from json import loads

    try:
        with open(path, encoding="utf-8") as file:
            found: Mapping[str, list[dict[str, object]]] = loads(file.read().replace(PLUGIN_ROOT, ROOT))[
                "hooks"
            ]
    except (OSError, ValueError, KeyError) as error:
        raise Refused(
            f"{names.printable(path)} cannot be read: {error}",
            names.NOTHING_CHANGED,
            "install agentmail again",
        ) from error
    return found


CLAUDE_CODE = ClaudeCodeHost()
