"""A host that loads plugins: where its folder is, and where it loads a file of ours from."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.forwarding.file import text_of
from agentmail.hosts.hooks_file.command import own_root
from agentmail.hosts.own_file import OwnFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.forwarding.dialect import ForwardingHost

USER, PROJECT = "user", "project"


class PluginHost:
    """What differs between the hosts of this kind."""

    #: The name in `HOSTS`, the name that people know, and its program.
    name = title = program = ""
    #: Our file in the user's folder of the host, and in the one of a project.
    file = ""
    #: The folder of the host in a project.
    project_folder = ""
    #: The host's own part of our file.
    part = ""

    def __init__(self, dialect: ForwardingHost) -> None:
        self.dialect = dialect

    def folder(self, environment: Environment) -> str:
        """The user's folder of this host. It may not exist yet."""
        raise NotImplementedError

    def levels(self, environment: Environment, directory: str) -> list[tuple[str, str]]:
        """The paths from which a session in this directory loads our file, as level and path, each once."""
        user = os.path.join(self.folder(environment), self.file)
        project = os.path.join(directory, self.project_folder, self.file)
        same = os.path.realpath(user) == os.path.realpath(project)
        return [(USER, user)] if same else [(USER, user), (PROJECT, project)]

    def place(self, environment: Environment, project: str | None) -> tuple[str, str, str]:
        """Level, directory and path of the file to write: the user's, or that of a project's directory."""
        user = os.path.join(self.folder(environment), self.file)
        if project is None:
            return USER, environment.directory(), user
        directory = os.path.normpath(os.path.join(environment.directory(), project))
        if not project or not os.path.isdir(directory):
            raise Refused(
                f"{names.quoted(project)} is not a directory",
                names.NOTHING_CHANGED,
                "give the directory that its sessions are started in",
            )
        path = os.path.join(directory, self.project_folder, self.file)
        if os.path.realpath(path) == os.path.realpath(user):
            raise Refused(
                f"{names.printable(path)} is your own file for all sessions, not that of a project",
                names.NOTHING_CHANGED,
                "leave out --project",
            )
        return PROJECT, directory, path

    def own_file(self, disk: Disk, path: str, python: str, *, wake: bool) -> OwnFile:
        """Our file at this path, as `wire` would write it for this installation."""
        return OwnFile(disk, path, text_of(self.dialect, self.part, own_root(), python, wake=wake))


def absolute(environment: Environment, variable: str) -> str:
    """The directory that a variable of the host names; empty for none. Refused for a relative one."""
    path = environment.variables.get(variable, "")
    if path and not os.path.isabs(path):
        raise Refused(
            f"{variable} is {names.quoted(path)}, not an absolute path",
            names.NOTHING_CHANGED,
            "set it to a full path, or unset it",
        )
    return path
