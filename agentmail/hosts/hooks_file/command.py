"""The command of an entry of ours: a shell line that runs a program in hooks/ of this installation."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.own_hooks import owns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentmail.core.environment import Environment

    Entries = dict[str, list[dict[str, Any]]]

#: Stands for the directory of the installation in the line of an entry.
ROOT = "${ROOT}"
#: Directories whose content is deleted automatically: temporary ones, and the caches that uvx and pipx run from.
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/private/tmp", "/private/var/folders")  # noqa: S108
TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "UV_CACHE_DIR")
TEMPORARY_NAMES = frozenset({".cache", "Caches", "archive-v0"})


def own_root() -> str:
    """The directory that holds hooks.json and hooks/: the package's own in a wheel, else the one above it."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for root in (package, os.path.dirname(package)):
        if os.path.isfile(os.path.join(root, "hooks", "mail-check")):
            return root
    raise Refused(
        f"the hooks are not beside the package in {names.printable(package)}",
        names.NOTHING_CHANGED,
        "install agentmail again",
    )


def expanded_group(group: Mapping[str, Any], root: str, python: str) -> dict[str, Any]:
    """A group of hooks with the commands for these paths."""
    hooks = [{**hook, "command": expanded_command(hook["command"], root, python)} for hook in group["hooks"]]
    return {**group, "hooks": hooks}


def expanded_command(line: str, root: str, python: str) -> str:
    """The line of an entry for these paths, with any characters in them. Refused where it could not be read again.

    The line is silent where its program is gone: whoever removes agentmail may not have unwired it. Where the path
    holds the version of Python, the line finds the program also under the next one.
    """
    from shlex import join, quote, split

    words = [word.replace(ROOT, root) for word in split(line)] + ([python] if python else [])
    program = next(word for word in words if word.startswith(root))
    command = f"[ ! -e {quote(program)} ] || {join(words)}"
    if parts := around_version(program):
        run = " ".join('"$hook"' if word == program else quote(word) for word in words)
        later = f"{quote(parts[0])}py*{quote(parts[1])}"
        command += f'; for hook in {later}; do [ ! -e "$hook" ] || {run}; done'
    # A path that JSON cannot hold, or that ends the line; and a line that we would not recognise later.
    if (
        command.encode("utf-8", "replace") != os.fsencode(command)
        or len(command.splitlines()) > 1
        or not owns(command, None)
    ):
        raise Refused(
            f"a path such as {names.quoted(root)} cannot stand in the settings",
            names.NOTHING_CHANGED,
            "install under another path",
        )
    return command


def around_version(path: str) -> tuple[str, str] | None:
    """What is before and after the version of Python in a path such as .../lib/python3.12/site-packages/...; or None."""
    before, _, rest = path.rpartition("/lib/py")
    version, _, after = rest.partition("/")
    if not before or "." not in version or not after.split("/")[0].endswith("-packages"):
        return None
    return f"{before}/lib/", f"/{after}"


def successor(path: str) -> str:
    """The same program of the package for another version of Python, as the wired line finds it; empty for none."""
    parts = around_version(path)
    if parts is None or not os.path.isdir(parts[0]):
        return ""
    found = [f"{parts[0]}{name}{parts[1]}" for name in sorted(os.listdir(parts[0])) if name.startswith("py")]
    return next((one for one in found if os.path.exists(one)), "")


def temporary_path(environment: Environment, *paths: str) -> str:
    """The first of some paths that lies in a temporary directory or a cache; empty where none does."""
    variables = (environment.variables.get(name, "") for name in TEMPORARY_VARIABLES)
    above = [os.path.realpath(folder) for folder in (*TEMPORARY, *variables) if os.path.isabs(folder)]
    for path in filter(None, paths):
        # The path as written: a program in a permanent environment may be a link into a cache.
        parts = path.split("/")
        if TEMPORARY_NAMES.intersection(parts) or any(_holds(folder, path) for folder in above):
            return path
    return ""


def _holds(folder: str, path: str) -> bool:
    parent = os.path.join(os.path.realpath(os.path.dirname(path)), "")
    return folder != "/" and parent.startswith(os.path.join(folder, ""))
