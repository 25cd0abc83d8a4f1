"""The link ~/.local/bin/agentmail that a session's start offers, see check.py: whose it is, and its end."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmail.core.fs import Disk

NAME = "agentmail"


def remove_link(disk: Disk, home: str, roots: Iterable[str]) -> str:
    """Remove the link if it leads to the command of one of these installations; its path, or an empty string.

    One that an installer has put there leads elsewhere, and stays.
    """
    folder = os.path.join(home, ".local", "bin")
    try:
        target = os.readlink(os.path.join(folder, NAME))
    except OSError:
        return ""
    if target not in {command_of(root) for root in roots}:
        return ""
    with disk.directory(folder, follow=True) as fd:
        return os.path.join(folder, NAME) if disk.unlink(NAME, fd) else ""


def command_of(root: str) -> str:
    """The command of an installation that is a checkout or a plugin."""
    return os.path.join(root, "bin", NAME)
