"""Where Claude Code keeps its settings, and which of them decide whether our hooks run, and how often."""

from __future__ import annotations

import os
import sys

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.claude_code import settings
from agentmail.hosts.claude_code.entries import PLUGIN
from agentmail.hosts.settings_file.change import SettingsFile
from agentmail.hosts.settings_file.read import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.claude_code.read_settings import HookEntry
    from agentmail.hosts.settings_file.json_text import Document

USER, PROJECT, LOCAL, MANAGED = "user", "project", "local", "managed"
FILE, LOCAL_FILE = "settings.json", "settings.local.json"
#: Where whoever manages a machine puts settings: this file, and those of the directory beside it.
MANAGED_FILE, MANAGED_FOLDER = "managed-settings.json", "managed-settings.d"
MANAGED_PLACES = {"darwin": "/Library/Application Support/ClaudeCode"}


def config_directory(environment: Environment) -> str:
    """The user's directory of Claude Code: CLAUDE_CONFIG_DIR, else ~/.claude. It may not exist yet."""
    path = environment.variables.get("CLAUDE_CONFIG_DIR")
    if path is None:
        return os.path.join(environment.home(), ".claude")
    if not os.path.isabs(path):
        raise Refused(
            f"CLAUDE_CONFIG_DIR is {names.quoted(path)}, not an absolute path",
            names.NOTHING_CHANGED,
            "set it to a full path, or unset it for ~/.claude",
        )
    return path.rstrip("/") or "/"


def user_settings(environment: Environment) -> str:
    """The settings of all sessions of this user."""
    return os.path.join(config_directory(environment), FILE)


def project_settings(directory: str, name: str = FILE) -> str:
    """The settings of the sessions that are started in this directory itself."""
    return os.path.join(directory, ".claude", name)


def settings_path(environment: Environment, project: str | None) -> tuple[str, str, str]:
    """Level, directory and path of the settings to change: the user's, or those of a project's directory."""
    if project is None:
        return USER, environment.directory(), user_settings(environment)
    directory = os.path.normpath(os.path.join(environment.directory(), project))
    if not project or not os.path.isdir(directory):
        raise Refused(
            f"{names.quoted(project)} is not a directory",
            names.NOTHING_CHANGED,
            "give the directory that its sessions are started in",
        )
    path = project_settings(directory)
    if os.path.realpath(path) == os.path.realpath(user_settings(environment)):
        raise Refused(
            f"{names.printable(path)} is not a project's file but your own for all sessions",
            names.NOTHING_CHANGED,
            "leave out --project",
        )
    return PROJECT, directory, path


def levels(environment: Environment, directory: str) -> list[tuple[str, str]]:
    """The files that a session in this directory reads, as level and path, each once; a later one overrides."""
    user = user_settings(environment)
    found = [(USER, user)]
    for level, name in ((PROJECT, FILE), (LOCAL, LOCAL_FILE)):
        path = project_settings(directory, name)
        if os.path.realpath(path) != os.path.realpath(user):
            found.append((level, path))
    return found + [(MANAGED, path) for path in _managed()]


def _managed() -> list[str]:
    """The managed settings files of this machine; nearly always none."""
    place = MANAGED_PLACES.get(sys.platform, "/etc/claude-code")
    folder = os.path.join(place, MANAGED_FOLDER)
    names_there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names_there if name.endswith(".json") and name[0] != "."]
    file = os.path.join(place, MANAGED_FILE)
    return [file, *paths] if os.path.lexists(file) else paths


class SettingsFound:
    """What one settings file says about our hooks. Refused, with its path, for one that is not understood."""

    __slots__ = ("disabled", "only_managed", "ours", "path", "plugins", "variables")

    def __init__(self, path: str, data: bytes | None) -> None:
        self.path = path
        self.ours: list[HookEntry] = []
        #: True where the file switches every hook off.
        self.disabled = False
        #: True where it allows the hooks of managed settings only, which counts in these alone.
        self.only_managed = False
        #: The variables that it sets for sessions.
        self.variables: dict[str, object] = {}
        #: Our plugin by its full name (another marketplace, another name): switched on or not.
        self.plugins: dict[str, bool] = {}
        if data is None:
            return
        try:
            parsed = settings.parse(data)
        except Refused as error:
            raise Refused(f"{names.printable(path)}: {error.what}", error.now, error.next_step) from None
        self.ours = [one for one in parsed.entries if settings.owns(one.command, one.args)]
        self.disabled = _value(parsed.document, "disableAllHooks") is True
        self.only_managed = _value(parsed.document, "allowManagedHooksOnly") is True
        variables = _value(parsed.document, "env")
        self.variables = variables if isinstance(variables, dict) else {}
        plugins = _value(parsed.document, "enabledPlugins")
        for name, value in plugins.items() if isinstance(plugins, dict) else ():
            if name.partition("@")[0] == PLUGIN:
                self.plugins[name] = value is not False

    @property
    def plugin(self) -> str:
        """Our plugin's full name where it is switched on; else empty."""
        return next((name for name, enabled in self.plugins.items() if enabled), "")


def _value(document: Document, key: str) -> object:
    node = document.root.get(key)
    return document.load(node) if node else None


def look(disk: Disk, path: str) -> SettingsFound:
    """Read one settings file."""
    return SettingsFound(path, read_settings(disk, path))


def settings_file(disk: Disk, path: str) -> SettingsFile:
    """One settings file of Claude Code, to change."""
    return SettingsFile(disk, path, settings)
