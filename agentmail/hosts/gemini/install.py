"""Gemini CLI's installer: entries in its settings."""

from __future__ import annotations

from agentmail.hosts.gemini.host import GEMINI
from agentmail.hosts.hooks_file.install import HooksInstall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.base import Install

CAPABILITIES = {
    "notice": "hooks: at the start of a session and, what is new, with a prompt",
    "guard": "hook of the file tools",
    "strict": "no: its policy rules do not see a relative path or the shell",
    "wake": "no: nothing reaches an idle session but its terminal",
    "tools": "command line, MCP",
    "session": "variable of hooks; the model's own commands are not told it",
    "trust": "a folder must be trusted before its project settings count",
}

INSTALL: Install = HooksInstall(GEMINI, CAPABILITIES)
