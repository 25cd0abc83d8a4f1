"""opencode's installer: our plugin in its configuration."""

from __future__ import annotations

import os

from agentmail.hosts.forwarding.host import PluginHost, absolute
from agentmail.hosts.forwarding.install import PluginInstall
from agentmail.hosts.mcp_entry.install import ServerEntry, WithServer
from agentmail.hosts.mcp_entry.json_entry import JsonEntry
from agentmail.hosts.opencode.dialect import HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.hosts.base import Install

CAPABILITIES = {
    "notice": "plugin: at the start of a session and, what is new, with a prompt; not stored in the session",
    "guard": "plugin, before a file tool runs",
    "strict": "none: its permission rules do not see what the shell writes",
    "wake": "the plugin starts a turn (`wire --wake`)",
    "tools": "command line, MCP (`wire --mcp`)",
    "session": "the plugin's, and a variable for commands",
    "trust": "none needed",
}


class OpencodeHost(PluginHost):
    """opencode, which loads each file in its folder `plugin`."""

    name = "opencode"
    title = "opencode"
    program = "opencode"
    file = os.path.join("plugin", "agentmail.js")
    project_folder = ".opencode"
    part = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.js")

    def folder(self, environment: Environment) -> str:
        """`opencode` in the user's folder for configurations."""
        above = absolute(environment, "XDG_CONFIG_HOME") or os.path.join(environment.home(), ".config")
        return os.path.join(above, "opencode")


OPENCODE = OpencodeHost(HOST)
#: opencode adds the schema to a file without it at its next start, and `unwire` could not tell that from the user's.
NEW = b'{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
SERVER = ServerEntry(
    OPENCODE.name,
    lambda environment: os.path.join(OPENCODE.folder(environment), "opencode.json"),
    JsonEntry("mcp", {"type": "local", "enabled": True}, new=NEW, joined=True),
)
INSTALL: Install = WithServer(PluginInstall(OPENCODE, CAPABILITIES), SERVER)
