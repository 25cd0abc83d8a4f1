"""Claude Code's installer: its entries are those of hooks.json, in its settings."""

from __future__ import annotations

from agentmail.hosts.claude_code.host import CLAUDE_CODE
from agentmail.hosts.hooks_file.install import HooksInstall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.base import Install

CAPABILITIES = {
    "notice": "hooks: at the start of a session and, what is new, with a prompt",
    "guard": "hook of the file tools",
    "strict": "deny rules, which the file tools obey",
    "wake": "a watch of the inbox (`wire --wake`)",
    "tools": "command line, MCP",
    "session": "variable",
    "trust": "none needed",
}

INSTALL: Install = HooksInstall(CLAUDE_CODE, CAPABILITIES)
