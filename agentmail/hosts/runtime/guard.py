"""mail-guard: a file tool may not write into a mailbox, where it would go past every check of `send`.

A guard-rail, not a boundary: it does not see what a shell does, and what it cannot understand it allows.
"""

from __future__ import annotations

import os

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import REGISTRY
from agentmail.hosts.runtime.payload import answer, guarded, read_payload, talk

TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
PATH_FIELDS = ("file_path", "notebook_path", "path")
EVENT = "PreToolUse"
MAILBOX = (
    "This path lies in an agentmail mailbox, where messages are delivered only by the command. Send with: "
    "agentmail send <from> <to> <slug> <subject words> <<'EOF' ... EOF. Handled messages leave with: "
    "agentmail archive <id> <message-id>. Reading is free."
)
TABLE = (
    "This path is agentmail's registry, which sessions change only by the command: "
    "agentmail register <id> <workdir> <responsibility>. Reading is free."
)


def main(_argv: list[str]) -> int:
    """Run the hook; always 0."""
    return guarded(lambda: guard(Environment.of_process()))


def guard(environment: Environment) -> int:
    """Deny the call on standard input if it would write into the bus; else say nothing."""
    payload = read_payload()
    if payload is None:
        talk("the input is not understood; the call is allowed")
        return 0
    if payload.text("tool_name") not in TOOLS:
        return 0
    tool_input = payload.object("tool_input")
    for field in PATH_FIELDS:
        why = refusal(environment, tool_input.text(field), payload.text("cwd"))
        if why:
            answer(EVENT, {"permissionDecision": "deny", "permissionDecisionReason": why})
            return 0
    return 0


def refusal(environment: Environment, path: str, directory: str) -> str:
    """Why a file tool may not write to this path, or an empty string where it may."""
    if not path or "\0" in path:
        return ""
    try:
        if path == "~" or path.startswith("~/"):
            path = environment.home() + path[1:]
        bus = environment.bus_path()
    except AgentMailError:
        return ""
    path = os.path.join(directory or "/", path)
    folder, name = os.path.split(path)
    # Where the last part is a link, both its own place and its target's count.
    for place in (os.path.realpath(path), os.path.join(os.path.realpath(folder), name)):
        inside = below(bus, place)
        if len(inside) > 1:
            return MAILBOX
        if (inside and inside[0].casefold() == REGISTRY) or _same_file(place, os.path.join(bus, REGISTRY)):
            return TABLE
    return ""


def _same_file(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def below(folder: str, path: str) -> list[str]:
    """The parts of `path`, a real path, below `folder`; empty where it is not below.

    Directories are compared by what they are, not by their names: so it does not matter whether the file
    system folds case, or by which link or mount the path goes.
    """
    try:
        wanted = os.stat(folder)
    except OSError:
        return []
    parts: list[str] = []
    place = path
    while True:
        try:
            found = os.stat(place)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return parts[::-1]
        except OSError:
            pass  # not there yet: the tool would make it
        parent, name = os.path.split(place)
        if parent == place:
            return []
        parts.append(name)
        place = parent
