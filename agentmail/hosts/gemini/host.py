"""Gemini CLI's settings: where they are, and our entries in them."""

from __future__ import annotations

import os

from agentmail.hosts.hooks_file.command import ROOT, expanded_group
from agentmail.hosts.hooks_file.host import HooksHost, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.core.environment import Environment
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.hooks_file.host import SettingsFound
    from agentmail.hosts.hooks_file.read_settings import Settings

#: How the host lists our hooks.
NAMES = frozenset(["mail-check", "mail-guard"])
#: In milliseconds, unlike other hosts.
TIMEOUT = 5000
LINES = {
    "SessionStart": ("", "mail-check gemini:SessionStart"),
    "BeforeAgent": ("", "mail-check gemini:BeforeAgent"),
    "BeforeTool": ("write_file|replace", "mail-guard gemini:BeforeTool"),
}


class GeminiHost(HooksHost):
    """Gemini CLI, which adds up the hooks of the user's and of a trusted project's settings."""

    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"
    folder_name = ".gemini"
    file_name = "settings.json"

    def entries(self, root: str, python: str, *, wake: bool) -> Entries:  # noqa: ARG002 - nothing wakes a session
        """Our entries, one for each event."""
        return {
            event: [expanded_group(_group(matcher, line), root, python)]
            for event, (matcher, line) in LINES.items()
        }

    def tool(self, path: str) -> Mapping[str, object]:
        """The fields of a payload in which a file tool is about to write a file."""
        return {"tool_name": "write_file", "tool_input": {"file_path": path, "content": ""}}

    def variables(self, environment: Environment, directory: str) -> dict[str, str]:
        """The variables of a hook that runs in this directory, in no session."""
        return {**super().variables(environment, directory), "GEMINI_PROJECT_DIR": directory}

    def folder(self, environment: Environment) -> str:
        """The user's folder of this host: in GEMINI_CLI_HOME, else in the home directory."""
        home = environment.variables.get("GEMINI_CLI_HOME") or environment.home()
        return os.path.join(os.path.join(environment.directory(), home), self.folder_name)

    def read_more(self, found: SettingsFound, parsed: Settings) -> None:
        """Are all hooks switched off, or ours by name?"""
        off = value_of(parsed, "hooksConfig", "disabled")
        named = isinstance(off, list) and bool(NAMES.intersection(str(name) for name in off))
        found.disabled = named or value_of(parsed, "hooksConfig", "enabled") is False


def _group(matcher: str, line: str) -> dict[str, object]:
    program, argument = line.split()
    hook = {
        "type": "command",
        "name": program,
        "command": f'exec "{ROOT}/hooks/{program}" {argument}',
        "timeout": TIMEOUT,
    }
    return {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}


GEMINI = GeminiHost()
