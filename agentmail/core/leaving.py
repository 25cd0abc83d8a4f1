"""Rename and unregister an identity. All its mail stays readable; each step can be repeated after a crash.

    rename      mark (durable), move the mailbox to the new name, change the row
    unregister  move the mailbox to the former identities, remove the row

Why this order: once the old mailbox is gone, what was left says why. A row without a mailbox whose identity is a former
one is never given a new mailbox, so no message can arrive under the old name in between.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.former import RENAMED, is_unregistered, new_name
from agentmail.core.layout import FOLDERS, FORMER, INBOX, REGISTRY
from agentmail.core.moving_mailboxes import join, move_new
from agentmail.core.publishing import TAKEN, publish_new
from agentmail.core.registry import MAX_BYTES
from agentmail.core.registry_edit import refuse_planted_link, renamed, without
from agentmail.core.roster import KnownIdentities, is_known, registry_bytes, unknown


def rename(bus: Bus, old: str, new: str) -> bool:
    """Rename an identity; False if that was done already. Refused if the new name is taken."""
    known = KnownIdentities(bus)
    again = new_name(bus, old) == new
    if not again:
        _may_rename(bus, old, new, known)
    elif not is_known(bus, old, known):
        return False
    data = registry_bytes(bus)
    refuse_planted_link(bus.path(REGISTRY), data)  # refuse before anything is changed
    renamed(data, old, new)
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
    """Move the mailbox, or what the new one lacks of it, as after a pull; what is left then is kept apart."""
    disk = bus.disk
    if not disk.exists(new, root):
        if disk.exists(old, root):
            move_new(disk, old, root, new, root)
        else:
            with bus.mailbox(new, make=True) as box:  # git keeps no empty directories
                for folder in FOLDERS:
                    box.folder(folder)
    elif disk.exists(old, root):
        join(disk, old, root, new, root)
        if disk.exists(old, root):
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
    data = registry_bytes(bus)
    refuse_planted_link(bus.path(REGISTRY), data)  # refuse before anything is changed
    without(data, identity)
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
    """Move a mailbox to the former identities, or join it to the one of that name there, as after a pull."""
    try:
        move_new(bus.disk, identity, root, identity, former)
        return
    except FileExistsError:
        join(bus.disk, identity, root, identity, former)
    if bus.disk.exists(identity, root):
        here, kept = (names.printable(bus.path(*parts, INBOX)) for parts in ((identity,), (FORMER, identity)))
        raise Refused(
            f"{identity} has a mailbox and one that was kept before",
            "nothing is lost; each message is in one of the two",
            f"compare what is left in the first with the second (`ls {here} {kept}`, also the other folders), then remove it",
        )


def bring_back(bus: Bus, identity: str, root: int) -> None:
    """Before an identity is registered: its kept mailbox becomes its mailbox again, and no mark is in the way."""
    disk = bus.disk
    try:
        handle = disk.directory(FORMER, root)
    except FileNotFoundError:
        return
    with handle as former:
        _unmark(disk, identity, former)
        if disk.exists(identity, former):
            try:
                move_new(disk, identity, former, identity, root)
            except FileExistsError:
                join(disk, identity, former, identity, root)
            disk.sync_directory(root)
            disk.sync_directory(former)


def _change(bus: Bus, change: Callable[[bytes | None], bytes | None]) -> None:
    from agentmail.core.locked_edit import edit

    edit(bus.disk, bus.path(REGISTRY), change, limit=MAX_BYTES, mask=0o600)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus
