"""Rename and unregister an identity. All its mail stays readable; each step can be repeated after a crash.

    rename      mark (durable), move the mailbox to the new name, change the row
    unregister  move the mailbox to the former identities, remove the row

Why this order: once the old mailbox is gone, what was left says why. A row without a mailbox whose identity is a former
one is never given a new mailbox, so no message can arrive under the old name in between.
"""

from __future__ import annotations

import errno

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.former import RENAMED, is_unregistered, new_name
from agentmail.core.layout import FOLDERS, FORMER, INBOX, REGISTRY
from agentmail.core.publishing import NO_EXCLUSIVE_RENAME, TAKEN, publish_new
from agentmail.core.registry import MAX_BYTES
from agentmail.core.registry_edit import renamed, without
from agentmail.core.roster import KnownIdentities, is_known, registry_bytes, unknown


def rename(bus: Bus, old: str, new: str) -> bool:
    """Rename an identity; False if that was done already. Refused if the new name is taken."""
    known = KnownIdentities(bus)
    again = new_name(bus, old) == new
    if not again:
        _may_rename(bus, old, new, known)
    elif not is_known(bus, old, known):
        return False
    renamed(registry_bytes(bus), old, new)  # refuse before anything is changed
    with bus.open() as root:
        bus.disk.make_directory(FORMER, root)
        with bus.disk.directory(FORMER, root) as former:
            if not again:
                _mark(bus.disk, old, new, former)
            _move(bus, old, new, root, former)
            _unmark(bus.disk, new, former)
    _change(bus, lambda data: renamed(data, old, new))
    return True


def _may_rename(bus: Bus, old: str, new: str, known: KnownIdentities) -> None:
    if not is_known(bus, old, known):
        raise unknown(bus, old, known)
    if is_known(bus, new, known):
        raise Refused(f"{new} is registered already", names.NOTHING_CHANGED, "choose another name")
    if is_unregistered(bus, new):
        raise Refused(
            f"{new} was unregistered, and its mail is kept", names.NOTHING_CHANGED, "choose another name"
        )


def _mark(disk: Disk, old: str, new: str, former: int) -> None:
    data = f"{new}\n".encode()
    while publish_new(disk, data, f"{old}{RENAMED}", former) == TAKEN:
        _unmark(disk, old, former)  # of an earlier identity of that name
    disk.sync_directory(former)


def _unmark(disk: Disk, identity: str, former: int) -> None:
    if disk.unlink(f"{identity}{RENAMED}", former):
        disk.sync_directory(former)


def _move(bus: Bus, old: str, new: str, root: int, former: int) -> None:
    """Move the mailbox. If the new name has one, as after a pull, the rest of the old one is kept apart."""
    disk = bus.disk
    if not disk.exists(new, root):
        if disk.exists(old, root):
            move_directory(disk, old, root, new, root)
        else:
            with bus.mailbox(new, make=True) as box:  # git keeps no empty directories
                for folder in FOLDERS:
                    box.folder(folder)
    elif disk.exists(old, root):
        _keep_apart(bus, old, root, former)
    disk.sync_directory(former)
    disk.sync_directory(root)


def unregister(bus: Bus, identity: str) -> bool:
    """Unregister an identity; False if that was done already."""
    known = KnownIdentities(bus)
    if not is_known(bus, identity, known):
        if is_unregistered(bus, identity):
            return False
        raise unknown(bus, identity, known)
    without(registry_bytes(bus), identity)  # refuse before anything is changed
    disk = bus.disk
    with bus.open() as root:
        disk.make_directory(FORMER, root)
        with disk.directory(FORMER, root) as former:
            if not disk.exists(identity, root):
                disk.make_directory(identity, former)
            else:
                _keep_apart(bus, identity, root, former)
            disk.sync_directory(former)
        disk.sync_directory(root)
    _change(bus, lambda data: without(data, identity))
    return True


def _keep_apart(bus: Bus, identity: str, root: int, former: int) -> None:
    """Move a mailbox to the former identities, where there is none of that name yet."""
    try:
        move_directory(bus.disk, identity, root, identity, former)
    except FileExistsError:
        here, kept = (names.printable(bus.path(*parts, INBOX)) for parts in ((identity,), (FORMER, identity)))
        raise Refused(
            f"{identity} has a mailbox and one that was kept before",
            "all its mail is where it was",
            f"move what is in the first to the second (`mv -n {here}/* {kept}`, also of the other folders), then remove it",
        ) from None


def bring_back(bus: Bus, identity: str, root: int) -> None:
    """Before an identity is registered: its kept mailbox becomes its mailbox again, and no mark is in the way."""
    disk = bus.disk
    try:
        handle = disk.directory(FORMER, root)
    except FileNotFoundError:
        return
    with handle as former:
        _unmark(disk, identity, former)
        if disk.exists(identity, former) and not disk.exists(identity, root):
            move_directory(disk, identity, former, identity, root)
            disk.sync_directory(root)
            disk.sync_directory(former)


def move_directory(disk: Disk, name: str, parent: int, new: str, new_parent: int) -> None:
    """Move a directory to a free name; FileExistsError if it is taken."""
    from agentmail.core.atomic_rename import rename_new  # ctypes is slow to import

    try:
        rename_new(disk, name, parent, new, new_parent)
    except OSError as error:
        if error.errno not in NO_EXCLUSIVE_RENAME:
            raise
        if disk.exists(new, new_parent):
            raise FileExistsError(errno.EEXIST, "File exists", new) from None
        disk.rename(name, parent, new, new_parent)


def _change(bus: Bus, change: Callable[[bytes | None], bytes | None]) -> None:
    from agentmail.core.locked_edit import edit

    edit(bus.disk, bus.path(REGISTRY), change, limit=MAX_BYTES, mask=0o600)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus
