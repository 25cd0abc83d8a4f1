"""A host whose settings hold hooks in groups: where the settings are, and which entries they should have.

A host's package derives its own class from `HooksHost`; `HooksInstall` (install.py) then wires, unwires and examines.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts import session_variables
from agentmail.hosts.hooks_file import settings
from agentmail.hosts.settings_file.change import SettingsFile
from agentmail.hosts.settings_file.read import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.hooks_file.read_settings import HookEntry, Settings

    Files = list[tuple[str, "SettingsFound"]]

USER, PROJECT, LOCAL, MANAGED = "user", "project", "local", "managed"


class HooksHost:
    """What differs between the hosts of this kind."""

    #: The name in `HOSTS`, the name that people know, and its program.
    name = title = program = ""
    #: Its folder in the home directory and in a project, and the file in it.
    folder_name = file_name = ""
    #: The variable that names another folder in place of that in the home directory.
    folder_variable = ""
    #: The event of a session's start.
    start = "SessionStart"

    def folder(self, environment: Environment) -> str:
        """The user's folder of this host. It may not exist yet."""
        path = environment.variables.get(self.folder_variable) if self.folder_variable else None
        if path is None:
            return os.path.join(environment.home(), self.folder_name)
        if not os.path.isabs(path):
            raise Refused(
                f"{self.folder_variable} is {names.quoted(path)}, not an absolute path",
                names.NOTHING_CHANGED,
                f"set it to a full path, or unset it for ~/{self.folder_name}",
            )
        return path.rstrip("/") or "/"

    def user_settings(self, environment: Environment) -> str:
        """The settings of all sessions of this user."""
        return os.path.join(self.folder(environment), self.file_name)

    def project_settings(self, directory: str) -> str:
        """The settings of the sessions of this directory."""
        return os.path.join(directory, self.folder_name, self.file_name)

    def levels(self, environment: Environment, directory: str) -> list[tuple[str, str]]:
        """The files that a session in this directory reads, as level and path, each once; a later one overrides."""
        user, project = self.user_settings(environment), self.project_settings(directory)
        same = os.path.realpath(user) == os.path.realpath(project)
        return [(USER, user)] if same else [(USER, user), (PROJECT, project)]

    def settings_path(self, environment: Environment, project: str | None) -> tuple[str, str, str]:
        """Level, directory and path of the settings to change: the user's, or those of a project's directory."""
        if project is None:
            return USER, environment.directory(), self.user_settings(environment)
        directory = os.path.normpath(os.path.join(environment.directory(), project))
        if not project or not os.path.isdir(directory):
            raise Refused(
                f"{names.quoted(project)} is not a directory",
                names.NOTHING_CHANGED,
                "give the directory that its sessions are started in",
            )
        path = self.project_settings(directory)
        if os.path.realpath(path) == os.path.realpath(self.user_settings(environment)):
            raise Refused(
                f"{names.printable(path)} is your own file for all sessions, not that of a project",
                names.NOTHING_CHANGED,
                "leave out --project",
            )
        return PROJECT, directory, path

    def look(self, disk: Disk, path: str) -> SettingsFound:
        """Read one settings file."""
        return self.found_in(path, read_settings(disk, path))

    def found_in(self, path: str, data: bytes | None) -> SettingsFound:
        """What the bytes of one settings file say about our hooks. Refused, with its path, for what is not understood."""
        found = SettingsFound(path)
        if data is not None:
            try:
                parsed = settings.parse(data)
            except Refused as error:
                raise Refused(f"{names.printable(path)}: {error.what}", error.now, error.next_step) from None
            found.ours = [one for one in parsed.entries if settings.owns(one.command, one.args)]
            self.read_more(found, parsed)
        return found

    def read_more(self, found: SettingsFound, parsed: Settings) -> None:
        """Read what else the host keeps in this file."""

    def settings_file(self, disk: Disk, path: str) -> SettingsFile:
        """One settings file, to change."""
        return SettingsFile(disk, path, settings)

    def entries(self, root: str, python: str, *, wake: bool) -> Entries:
        """The entries that the settings should have: event -> groups, the commands with absolute paths."""
        raise NotImplementedError

    def tool(self, path: str) -> Mapping[str, object]:
        """The fields of a payload in which a file tool is about to write a file."""
        return {"tool_name": "Write", "tool_input": {"file_path": path}}

    def variables(self, environment: Environment, directory: str) -> dict[str, str]:  # noqa: ARG002
        """The variables of a hook that runs in this directory, in no session."""
        left_out = {"AGENT_MAIL_SESSION", *session_variables()}
        return {name: value for name, value in environment.variables.items() if name not in left_out}

    def stops(self, files: Files) -> list[tuple[str, str]]:
        """Why our hooks do not run, each with its fix."""
        return [
            (f"{names.printable(found.path)} says that no hook runs", "take that out of it")
            for _, found in files
            if found.disabled
        ]

    def other_bus(self, environment: Environment, files: Files) -> list[str]:  # noqa: ARG002
        """Why a session may look into another bus than this shell; empty where both are the same."""
        return []


class SettingsFound:
    """What one settings file says about our hooks."""

    def __init__(self, path: str) -> None:
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

    @property
    def plugin(self) -> str:
        """Our plugin's full name where it is switched on; else empty."""
        return next((name for name, enabled in self.plugins.items() if enabled), "")


def value_of(parsed: Settings, *keys: str) -> object:
    """The value at a path of keys; None where there is none."""
    node = parsed.document.root.get(keys[0])
    found = parsed.document.load(node) if node else None
    for key in keys[1:]:
        found = found.get(key) if isinstance(found, dict) else None
    return found
