"""mail-guard: refuses a file tool that would write into a mailbox, past every check that `send` makes.

It is a guard rail, not a security boundary: it does not see what a shell does, and it allows input that it does
not understand.
"""

from __future__ import annotations

import os

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import REGISTRY
from agentmail.hosts import WRITE
from agentmail.hosts.runtime.process import answer, diagnose, guarded, read_input

MAILBOX = (
    "This path lies in an agentmail mailbox, where messages are delivered only by the command. Send with: "
    "agentmail send <from> <to> <slug> <subject words> <<'EOF' ... EOF. Handled messages leave with: "
    "agentmail archive <id> <message-id>. Reading is free."
)
TABLE = (
    "This path is agentmail's registry, which sessions change only by the command: "
    "agentmail register <id> <workdir> <responsibility>. Reading is free."
)


def main(host: Host) -> int:
    """Run the hook; always 0."""
    return guarded(lambda: guard(host, Environment.of_process()))


def guard(host: Host, environment: Environment) -> int:
    """Deny the call on standard input if it would write into the bus; else print nothing."""
    event = host.event(read_input())
    if event is None:
        diagnose("the input is not understood; the call is allowed")
        return 0
    for path in event.files:
        why = refusal(environment, path, event.directory)
        if why:
            event.kind = WRITE  # hosts run this hook for nothing else
            answer(host.deny(event, why))
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
    # Where the last part is a link, both the link's location and its target's count.
    for real in (os.path.realpath(path), os.path.join(os.path.realpath(folder), name)):
        inside = below(bus, real)
        if len(inside) > 1:
            return MAILBOX
        if (inside and inside[0].casefold() == REGISTRY) or _same_file(real, os.path.join(bus, REGISTRY)):
            return TABLE
    return ""


def _same_file(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def below(folder: str, path: str) -> list[str]:
    """The parts of `path`, a real path, below `folder`; empty where it is not below.

    Directories are compared by device and inode, not by name: so it does not matter whether the file system
    folds case, or through which link or mount the path goes.
    """
    try:
        wanted = os.stat(folder)
    except OSError:
        return []
    parts: list[str] = []
    at = path
    while True:
        try:
            found = os.stat(at)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return parts[::-1]
        except OSError:
            pass  # not there yet: the tool would make it
        parent, name = os.path.split(at)
        if parent == at:
            return []
        parts.append(name)
        at = parent


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.base import Host
