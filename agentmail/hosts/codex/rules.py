"""The rules file by which Codex runs our command outside of its sandbox, which keeps the bus read-only.

Only the verbs of mail, and only in a call of plain words: Codex applies no rule to a line with a here-document, a pipe or
a redirection. So a session reads, archives and acknowledges by the command line, and sends with --body-file or by MCP.
"""

from __future__ import annotations

import os

from agentmail.hosts.base import found_here
from agentmail.hosts.own_file import OwnFile
from agentmail.hosts.runtime.session_start import own_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk

NAME = "agentmail.rules"
VERBS = (
    *("check", "read", "send", "reply", "archive", "unarchive", "ack", "wait", "delegate"),
    *("thread", "threads", "search", "roster", "receipts", "sessions", "whoami"),
)


def rules_file(disk: Disk, environment: Environment, folder: str) -> OwnFile:
    """The file, with the rule for the command as this machine has it."""
    return OwnFile(disk, os.path.join(folder, "rules", NAME), rules(_commands(environment)), comment="#")


def rules(commands: list[str]) -> str:
    """The text of the file."""
    from json import dumps

    return (
        "# Mail between agents: these calls run outside of the sandbox, because mail is delivered outside of the\n"
        "# workspace. `agentmail unwire codex` removes this file.\n"
        f"host_executable(name = {dumps('agentmail')}, paths = {dumps(commands)})\n"
        "prefix_rule(\n"
        f"    pattern = [{dumps('agentmail')}, {dumps(list(VERBS))}],\n"
        f"    decision = {dumps('allow')},\n"
        f"    justification = {dumps('mail between agents')},\n"
        ")\n"
    )


def _commands(environment: Environment) -> list[str]:
    """The paths under which a call may name our command."""
    found = [found_here(environment, "agentmail", os.devnull), own_command()]
    found.append(os.path.join(environment.home(), ".local", "bin", "agentmail"))
    return list(dict.fromkeys(path for path in found if path))
