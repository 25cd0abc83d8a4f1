"""Claude Code's installer: its entries are those of hooks.json, in its settings; on request a rule that denies the bus."""

from __future__ import annotations

import os

from agentmail.hosts.claude_code import deny_rule
from agentmail.hosts.claude_code.host import CLAUDE_CODE
from agentmail.hosts.hooks_file import settings
from agentmail.hosts.hooks_file.install import HooksInstall
from agentmail.hosts.mcp_entry.install import ServerEntry, WithServer
from agentmail.hosts.mcp_entry.json_entry import JsonEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.environment import Environment
    from agentmail.hosts.base import Install, WireOptions
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.settings_file.change import Format

CAPABILITIES = {
    "notice": "hooks: at the start of a session and, what is new, with a prompt",
    "guard": "hook of the file tools",
    "strict": "a deny rule: `wire --strict`",
    "wake": "a watch of the inbox: `wire --wake`",
    "tools": "command line, MCP (`wire --mcp`)",
    "session": "variable",
    "trust": "none needed",
}


class ClaudeCodeInstall(HooksInstall):
    """The `Install` of Claude Code."""

    has_strict = has_wake = True

    def completing(
        self, environment: Environment, wanted: Entries, options: WireOptions
    ) -> Callable[[bytes], bytes]:
        """Adds the entries and, with `strict`, the rule."""
        complete = super().completing(environment, wanted, options)
        if not options.strict:
            return complete
        rule = deny_rule.rule_for(environment.bus_path())
        return lambda old: deny_rule.add(complete(old), rule)

    def format(self, environment: Environment) -> Format:
        """Entries are recognised by their command, the rule by the path of the bus."""
        return _WithRule(environment.bus_path())


class _WithRule:
    """The `Format` of settings that may hold the rule for a bus beside our entries."""

    def __init__(self, bus: str) -> None:
        self._rule = f"Edit(/{bus}/**)"

    def parse(self, data: bytes) -> object:
        """Refuse bytes that are not understood."""
        return settings.parse(data)

    def content(self, data: bytes) -> object:
        """What the settings say."""
        return settings.content(data)

    def wired(self, data: bytes) -> object:
        """A true value where anything is ours."""
        return settings.wired(data) or deny_rule.has(data, self._rule)

    def unwire(self, data: bytes) -> bytes:
        """The file without anything of ours. The rule was added last, so it goes first."""
        return settings.unwire(deny_rule.drop(data, self._rule))


def _servers(environment: Environment) -> str:
    """The file in which Claude Code keeps the servers of all projects, beside much of its own."""
    folder = os.path.dirname(CLAUDE_CODE.user_settings(environment))
    above = folder if environment.variables.get(CLAUDE_CODE.folder_variable) else environment.home()
    return os.path.join(above, ".claude.json")


SERVER = ServerEntry(CLAUDE_CODE.name, _servers, JsonEntry(more={"type": "stdio"}))
INSTALL: Install = WithServer(ClaudeCodeInstall(CLAUDE_CODE, CAPABILITIES), SERVER)
