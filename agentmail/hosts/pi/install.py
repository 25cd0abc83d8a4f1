"""Pi's installer: our extension in its folder."""

from __future__ import annotations

import os

from agentmail.hosts.forwarding.host import PluginHost, absolute
from agentmail.hosts.forwarding.install import PluginInstall
from agentmail.hosts.mcp_entry.install import ServerEntry, WithServer
from agentmail.hosts.mcp_entry.json_entry import JsonEntry
from agentmail.hosts.pi.dialect import HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.hosts.base import Install

CAPABILITIES = {
    "notice": "extension: at the start of a session and, what is new, with a prompt; the user sees it too",
    "guard": "extension, before a file tool runs",
    "strict": "none: Pi has no rules for what its shell writes",
    "wake": "the extension starts a turn (`wire --wake`)",
    "tools": "command line, MCP (`wire --mcp`)",
    "session": "variable",
    "trust": "none needed; an extension in a project needs the project's trust",
}


class PiHost(PluginHost):
    """Pi, which loads each file in its folder `extensions`."""

    name = "pi"
    title = "Pi"
    program = "pi"
    file = os.path.join("extensions", "agentmail.ts")
    project_folder = ".pi"
    part = os.path.join(os.path.dirname(os.path.abspath(__file__)), "extension.ts")

    def folder(self, environment: Environment) -> str:
        """The folder that PI_CODING_AGENT_DIR names, else ~/.pi/agent."""
        return absolute(environment, "PI_CODING_AGENT_DIR") or os.path.join(
            environment.home(), ".pi", "agent"
        )


PI = PiHost(HOST)
SERVER = ServerEntry(
    PI.name,
    lambda environment: os.path.join(PI.folder(environment), "mcp.json"),
    JsonEntry(more={"exposure": "direct"}),
)
INSTALL: Install = WithServer(PluginInstall(PI, CAPABILITIES), SERVER)
