"""Former identities: an unregistered one, whose mailbox is kept apart, and a renamed one, which leaves its new name.

<bus>/_former/<identity>/          the mailbox of an unregistered identity
              <identity>.renamed   the new name of a renamed one

Why apart: no program that knows only the layout of a bus can then deliver to it. Why not hidden: git carries it.
It is looked at only if no row and no mailbox has the name, so other calls do not pay for it.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import UnknownIdentity
from agentmail.core.layout import FORMER, Mailbox, refuse_foreign
from agentmail.core.roster import mailboxes

RENAMED = ".renamed"
#: A name and a line end, with space for a comment that somebody added.
MARK_MAX = 256
#: How often an identity may have been renamed.
CHAIN = 16


class FormerMailbox(Mailbox):
    """The mailbox of an unregistered identity: it can be read, and nothing is delivered to it."""

    __slots__ = ()

    def path(self, *parts: str) -> str:
        """The path of something in the mailbox, for display."""
        return self.bus.path(FORMER, self.identity, *parts)


def former_mailbox(bus: Bus, identity: str) -> FormerMailbox | None:
    """The mailbox of an unregistered identity, or None."""
    try:
        with bus.open() as root, bus.disk.directory(FORMER, root) as former:
            handle = bus.disk.directory(identity, former)
    except FileNotFoundError:
        return None
    refuse_foreign(bus.disk, handle, bus.path(FORMER, identity))
    return FormerMailbox(bus, identity, handle)


def is_unregistered(bus: Bus, identity: str) -> bool:
    """True if the mailbox of an unregistered identity is kept."""
    with bus.open() as root:
        return bus.disk.exists(f"{FORMER}/{identity}", root)


def new_name(bus: Bus, identity: str) -> str:
    """The name that a renamed identity has now; empty if it was not renamed."""
    found = ""
    for _ in range(CHAIN):
        following = _mark(bus, found or identity)
        if not following or following == identity:
            break
        found = following
    return found


def former_names(bus: Bus, identity: str) -> frozenset[str]:
    """The names that an identity had before."""
    try:
        with bus.open() as root, bus.disk.directory(FORMER, root) as former:
            listed = bus.disk.names(former)
    except FileNotFoundError:
        return frozenset()
    old = [name.removesuffix(RENAMED) for name in listed if name.endswith(RENAMED)]
    return frozenset(name for name in old if names.is_identity(name) and new_name(bus, name) == identity)


def _mark(bus: Bus, identity: str) -> str:
    """The name in a mark; a peer may have written it, so anything that is not an identity counts as no mark."""
    try:
        with bus.open() as root, bus.disk.directory(FORMER, root) as former:
            _, data = bus.disk.peek(f"{identity}{RENAMED}", former, MARK_MAX)
    except FileNotFoundError:
        return ""
    word = (data or b"").decode("ascii", "replace").split("\n")[0].strip()
    return word if names.is_identity(word) else ""


def no_longer(bus: Bus, identity: str) -> UnknownIdentity | None:
    """The error for a former identity; None if nothing says that it was one."""
    try:
        new = new_name(bus, identity)
        if new:
            return UnknownIdentity(
                f"{identity} was renamed to {new}",
                names.NOTHING_CHANGED,
                f"use {new} in its place",
                renamed_to=new,
            )
        if is_unregistered(bus, identity):
            return UnknownIdentity(
                f"{identity} was unregistered and takes no mail",
                names.NOTHING_CHANGED,
                f"see `agentmail roster`; what it had can be read: `agentmail check {identity}`",
            )
    except OSError:
        pass  # it is unknown in any case; this would only have said more
    return None


def unregistered_sender(bus: Bus, sender: str, known: KnownIdentities) -> str:
    """The warning that nobody is registered under the name of a sender, with what became of it or names near it."""
    gone = no_longer(bus, sender)
    if gone is not None:
        return f"{gone.what}; sent as {sender} anyway, and no copy is kept; {gone.next_step}"
    near = names.near(sender, {*known.rows, *mailboxes(bus)})
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{sender} is not registered; sent anyway, and no copy is kept{hint}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.core.roster import KnownIdentities
