"""Register an identity: create its mailbox, then its row in the registry."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.layout import FOLDERS, FORMER, NO_DIRECTORY, REGISTRY
from agentmail.core.registry import MAX_BYTES
from agentmail.core.registry_edit import edited, refuse_planted_link
from agentmail.core.roster import registry_bytes


def register(bus: Bus, row: Row) -> bool:
    """Create the mailbox, then the row; False if both exist and are equal.

    Why the mailbox first: a row without a mailbox would name an identity that cannot get mail.
    """
    from agentmail.core.locked_edit import edit

    _make_root(bus)
    data = registry_bytes(bus)
    refuse_planted_link(bus.path(REGISTRY), data)
    edited(data, row)  # refuse before anything is created
    disk = bus.disk
    with bus.open() as root:
        if disk.exists(FORMER, root):
            from agentmail.core.leaving import bring_back

            bring_back(bus, row.identity, root)
        made = disk.make_directory(row.identity, root)
    with bus.mailbox(row.identity) as box:
        for folder in FOLDERS:
            made = disk.make_directory(folder, box.fd) or made
            box.folder(folder)
    path = bus.path(REGISTRY)
    changed = edit(disk, path, lambda data: edited(data, row), limit=MAX_BYTES, mask=0o600)
    return changed or made


def _make_root(bus: Bus) -> None:
    """Create the bus directory, and for the default path its parent; never a longer path."""
    parent, name = os.path.split(bus.root)
    if os.path.basename(parent) == ".agents":
        _make_under(bus, *os.path.split(parent))
    _make_under(bus, parent, name)


def _make_under(bus: Bus, parent: str, name: str) -> None:
    path = os.path.join(parent, name)
    if os.path.isdir(path):
        return
    try:
        with bus.disk.directory(parent, follow=True) as fd:
            made = bus.disk.make_directory(name, fd)
    except OSError as error:
        if error.errno not in NO_DIRECTORY:
            raise
        raise Refused(
            f"{names.printable(parent[:300])} is not a directory, so the bus {names.printable(name[:300])} "
            "cannot be made in it",
            names.NOTHING_CHANGED,
            "set AGENT_MAIL_DIR to a path whose parent exists",
        ) from None
    if not made and not os.path.isdir(path):
        raise Refused(
            f"{names.printable(path)} is there, but is not a directory",
            names.NOTHING_CHANGED,
            "set AGENT_MAIL_DIR",
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.core.registry import Row
