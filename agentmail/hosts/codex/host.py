"""Codex's hooks.json: where it is, and our entries in it.

Why the command must stay as it is from one release to the next: Codex keeps a hash of each hook that the user trusts, and
skips one that changed, and `codex exec` does not say so. Its place in the list is in the key of the hash: ours come last.
"""

from __future__ import annotations

from agentmail.hosts.hooks_file.command import ROOT, expanded_group
from agentmail.hosts.hooks_file.host import HooksHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.hooks_file.command import Entries

TIMEOUT = 5
LINES = {
    "SessionStart": ("", "mail-check codex:SessionStart"),
    "UserPromptSubmit": ("", "mail-check codex:UserPromptSubmit"),
    "PreToolUse": ("^(apply_patch|Bash)$", "mail-guard codex:PreToolUse"),
}
PATCH = "*** Begin Patch\n*** Add File: {}\n+text\n*** End Patch\n"


class CodexHost(HooksHost):
    """Codex, which runs the hooks of the user and of a trusted project."""

    name = "codex"
    title = "Codex"
    program = "codex"
    folder_name = ".codex"
    folder_variable = "CODEX_HOME"
    file_name = "hooks.json"

    def entries(self, root: str, python: str, *, wake: bool) -> Entries:
        """Our entries, one for each event, and one more at the start to wake the session."""
        found = {event: [_group(matcher, line, root, python)] for event, (matcher, line) in LINES.items()}
        if wake:
            found[self.start].append(_group("", "mail-wake codex:SessionStart", root, python))
        return found

    def tool(self, path: str) -> Mapping[str, object]:
        """The fields of a payload in which a patch is about to write a file."""
        return {"tool_name": "apply_patch", "tool_input": {"command": PATCH.format(path)}}


def _group(matcher: str, line: str, root: str, python: str) -> dict[str, object]:
    program, argument = line.split()
    hook = {"type": "command", "command": f'exec "{ROOT}/hooks/{program}" {argument}', "timeout": TIMEOUT}
    return expanded_group(
        {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}, root, python
    )


CODEX = CodexHost()
