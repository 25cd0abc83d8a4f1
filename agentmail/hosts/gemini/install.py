"""Gemini CLI's installer: entries in its settings, and on request the one of our server of tools in the same file."""

from __future__ import annotations

from agentmail.core.errors import AgentMailError
from agentmail.hosts.gemini.host import GEMINI
from agentmail.hosts.hooks_file import settings
from agentmail.hosts.hooks_file.install import HooksInstall
from agentmail.hosts.mcp_entry.install import completing, entry_remarks
from agentmail.hosts.mcp_entry.json_entry import JsonEntry
from agentmail.hosts.settings_file.read import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.base import Install, Remark, UnwireResult, WireOptions, WireResult
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.settings_file.change import Format

CAPABILITIES = {
    "notice": "hooks: at the start of a session and, what is new, with a prompt",
    "guard": "hook of the file tools",
    "strict": "no: its policy rules do not see a relative path or the shell",
    "wake": "no: nothing reaches an idle session but its terminal",
    "tools": "command line, MCP (`wire --mcp`)",
    "session": "variable of hooks; the model's own commands are not told it",
    "trust": "a folder must be trusted before its project settings count; the tools, by `wire --mcp --trust`",
}
SERVER = JsonEntry()


class GeminiInstall(HooksInstall):
    """The `Install` of Gemini CLI."""

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        """Wire, and say where the server is."""
        wired = super().wire(disk, environment, options)
        if options.mcp or SERVER.wired(read_settings(disk, wired.path) or b""):
            wired.server = wired.path
        return wired

    def completing(
        self, environment: Environment, wanted: Entries, options: WireOptions
    ) -> Callable[[bytes], bytes]:
        """Adds the hooks, and the server where it is asked for or there already; `trust` is set only when asked for."""
        hooks = super().completing(environment, wanted, options)
        path = self.host.user_settings(environment)
        server = completing(SERVER, path, options, {"trust": True} if options.trust else None)

        def complete(data: bytes) -> bytes:
            is_wanted = options.mcp or bool(SERVER.wired(data))
            new = hooks(data)
            return server(new) if is_wanted else new

        return complete

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        """Undo both; see `format`."""
        _, _, path = self.host.settings_path(environment, project)
        had = SERVER.wired(read_settings(disk, path) or b"") if project is None else False
        done = super().unwire(disk, environment, project=project)
        if had:
            done.also.append(f"removed the server from {path}")
        return done

    def format(self, _environment: Environment) -> Format:
        """Hooks are recognised by their command, and so is the entry of the server."""
        return _WithServer()

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        """Examine both."""
        remarks, path = super().look(disk, environment), self.host.user_settings(environment)
        try:
            return remarks + entry_remarks(SERVER, read_settings(disk, path) or b"", path, self.host.name)
        except (AgentMailError, OSError):
            return remarks  # which say that it cannot be read


class _WithServer:
    """The `Format` of settings that may hold the entry of our server beside our hooks."""

    def parse(self, data: bytes) -> object:
        """Refuse bytes that are not understood."""
        return settings.parse(data)

    def content(self, data: bytes) -> object:
        """What the settings say."""
        return settings.content(data)

    def wired(self, data: bytes) -> object:
        """A true value where anything is ours."""
        return settings.wired(data) or SERVER.wired(data)

    def unwire(self, data: bytes) -> bytes:
        """The file without anything of ours. The server was added last, so it goes first."""
        return settings.unwire(SERVER.unwire(data))


INSTALL: Install = GeminiInstall(GEMINI, CAPABILITIES)
