"""Where Claude Code keeps its settings, and what of them decides whether our hooks run, and how often."""

from __future__ import annotations

import errno
import os

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import Handle, is_file
from agentmail.hosts.claude_code.entries import PLUGIN
from agentmail.hosts.claude_code.settings import owns, parse
from agentmail.hosts.settings_file.json_text import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.claude_code.read_settings import Handler

USER, PROJECT, LOCAL = "user", "project", "local"
FILE, LOCAL_FILE = "settings.json", "settings.local.json"
LIMIT = 16 << 20


def config_directory(environment: Environment) -> str:
    """The user's own directory of the host: CLAUDE_CONFIG_DIR, else ~/.claude. It may not exist yet."""
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
    """The settings of the sessions that are started in this very directory."""
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
    """The files that a session in this directory reads, as level and path; each once."""
    user = user_settings(environment)
    found = [(USER, user)]
    for level, name in ((PROJECT, FILE), (LOCAL, LOCAL_FILE)):
        path = project_settings(directory, name)
        if os.path.realpath(path) != os.path.realpath(user):
            found.append((level, path))
    return found


def read(disk: Disk, path: str) -> bytes | None:
    """The bytes of a settings file, a symlink followed; None where there is none. Refused for what is no file."""
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
        handle = Handle(disk, disk.call("open", os.open, path, flags))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise
        if os.path.islink(path):
            raise _refused(path, "is a symlink to nothing", "mend the link") from None
        return None
    with handle as fd:
        info = disk.fstat(fd)
        if not is_file(info):
            raise _refused(path, "is not a regular file", "look at it with ls -l")
        if info.st_size > LIMIT:
            raise _refused(path, f"is larger than {LIMIT >> 20} MiB", "look what is in it")
        return disk.read(fd, LIMIT + 1)


def refuse_foreign(path: str) -> None:
    """Refuse what is not ours to change: another user's file or directory, and a file made read-only."""
    target = os.path.realpath(path)
    while not os.path.lexists(target):
        target = os.path.dirname(target)
    info = os.stat(target)
    if info.st_uid != os.geteuid():
        mend = "work as that user, or have the entries added there"
        raise _refused(target, f"belongs to another user (uid {info.st_uid})", mend)
    if not os.path.isdir(target) and not info.st_mode & 0o200:
        shown = names.printable(target)
        raise TryAgain(f"{shown} is read-only", names.NOTHING_CHANGED, "chmod u+w it, then again")


def _refused(path: str, what: str, mend: str) -> Refused:
    return Refused(f"{names.printable(path)} {what}", names.NOTHING_CHANGED, mend)


class Look:
    """What one settings file says about our hooks. Refused, with its path, for one that is not understood."""

    __slots__ = ("disabled", "ours", "path", "plugins")

    def __init__(self, path: str, data: bytes | None) -> None:
        self.path = path
        self.ours: list[Handler] = []
        #: True where the file switches every hook off.
        self.disabled = False
        #: Our plugin by its full name (another marketplace, another name): switched on or not.
        self.plugins: dict[str, bool] = {}
        if data is None:
            return
        try:
            settings = parse(data)
        except Refused as error:
            raise Refused(f"{names.printable(path)}: {error.what}", error.now, error.next_step) from None
        self.ours = [one for one in settings.handlers if owns(one.command, one.args)]
        self.disabled = _value(settings.document, "disableAllHooks") is True
        plugins = _value(settings.document, "enabledPlugins")
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


def look(disk: Disk, path: str) -> Look:
    """Read one settings file and see."""
    return Look(path, read(disk, path))
