"""The command of the entry: a shell line that starts our server, and serves no tools where the package is gone.

Why it speaks the protocol itself in that case: a host reports a server that ends at its start as an error, in each
session, and whoever removes the package may not have unwired it. Why `hooks/run`: it finds a Python where the one that
wired is gone, and the loop finds the package under a later version of Python.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.command import around_version, own_root, successor

#: The name of the server in the settings of every host.
NAME = "agentmail"
#: The name that the shell gets, by which an entry of ours is known again.
MARK = "agentmail-mcp"
#: Its arguments: the program, the Python, and the parts of the program's path around the version of Python.
SCRIPT = (
    'for run in "$1" ${3:+"$3"py*"$4"}; do [ ! -e "$run" ] || exec "$run" "$2" cli.main mcp; done; '
    'while IFS= read -r line; do id=${line#*\'"id":\'}; [ "$id" = "$line" ] || '
    'printf \'{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"serverInfo":{"name":"agentmail","version":"removed"},"tools":[]}}\\n\' "${id%%[,\\}]*}"; done'
)
#: Whose entry it is: of `wire`; of somebody who added our server by hand; of another program.
OURS, BY_HAND, FOREIGN = "ours", "by hand", "foreign"


def server_command(python: str) -> list[str]:
    """The program and arguments of the entry, for this installation. Refused for a path that is not Unicode."""
    program = os.path.join(own_root(), "hooks", "run")
    words = ["/bin/sh", "-c", SCRIPT, MARK, program, python or "-", *(around_version(program) or ())]
    if any(word.encode("utf-8", "replace") != os.fsencode(word) for word in words):
        raise Refused(
            f"a path such as {names.quoted(program)} cannot stand in the settings",
            names.NOTHING_CHANGED,
            "install under another path",
        )
    return words


def origin(words: list[str]) -> str:
    """Whose entry runs these words."""
    if len(words) > 4 and words[1] == "-c" and words[3] == MARK:
        return OURS
    is_command = len(words) > 1 and os.path.basename(words[0]) == NAME and words[1] == "mcp"
    return BY_HAND if is_command else FOREIGN


def gone(words: list[str]) -> str:
    """The program that an entry of ours or one by hand starts, if it is gone; else empty."""
    program = words[4] if origin(words) == OURS else words[0]
    return "" if not os.path.isabs(program) or os.path.exists(program) or successor(program) else program


def words_of(entry: object, *, joined: bool = False) -> list[str] | None:
    """The command of an entry; None where there is none, and no words for an entry of another kind.

    `joined`: program and arguments are one list, under `command`.
    """
    if entry is None:
        return None
    if not isinstance(entry, dict):
        return []
    command = entry.get("command")
    rest = command if joined else entry.get("args", [])
    if not isinstance(rest, list):
        return []
    return [str(word) for word in (rest if joined else [command, *rest])]


def is_ours(words: list[str] | None) -> bool:
    """True for the command of an entry that `wire` added."""
    return words is not None and origin(words) == OURS
