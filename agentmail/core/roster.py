"""The identities known on a bus: the registry, the mailboxes, and the mailbox of a known identity.

An identity is known if it has a registry row or a mailbox directory. Either may be missing for a while: a
clone has no empty folders, and a person may remove a row.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import AgentMailError, Refused, UnknownIdentity
from agentmail.core.fs import Handle, is_file, reason
from agentmail.core.layout import REGISTRY


class KnownIdentities:
    """The registry of a bus, read when it is first asked for.

    Why then: most calls only open mailboxes, and reading and parsing the registry costs as much as the rest of them.
    """

    __slots__ = ("_problem", "_registry", "bus")

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._registry: Registry | None = None
        self._problem = ""

    @property
    def registry(self) -> Registry:
        """The registry as read. A missing one is empty; one that cannot be read is empty, and `problem` says why."""
        if self._registry is None:
            from agentmail.core.registry import Registry, decoded

            try:
                data = registry_bytes(self.bus)
                self._registry = Registry(decoded(data) if data else "")
            except OSError as error:
                self._registry, self._problem = Registry(""), f"registry.md cannot be read: {reason(error)}"
            except Refused as error:
                self._registry, self._problem = Registry(""), error.what
        return self._registry

    @property
    def problem(self) -> str:
        """Why the registry could not be read; empty if it could."""
        _ = self.registry
        return self._problem

    @property
    def rows(self) -> dict[str, Row]:
        """The rows by identity."""
        return self.registry.rows

    def owners(self, directory: str) -> Owners:
        """The identities of a directory: the nearest workdir that holds it; several if their workdirs are equal.

        A directory in a git worktree also counts as the one that corresponds to it in the main checkout.
        """
        import os  # most calls know the identity without the directory

        here = os.path.realpath(os.fsencode(directory))
        found, workdir = self.registry.nearest(here)
        for top in _git_files(self.bus.disk, here, workdir):
            from agentmail.core.worktree import main_checkout

            checkout = main_checkout(self.bus.disk, top)
            if checkout is None:
                continue
            main = os.path.realpath(checkout)
            others, its_workdir = self.registry.nearest(
                os.path.normpath(os.path.join(main, here[len(top) :].lstrip(b"/")))
            )
            if others and (not found or _holds(main, its_workdir)):
                return Owners(others, system.fsdecode(main))
            break
        return Owners(found)

    @property
    def is_read(self) -> bool:
        """True once the registry was read."""
        return self._registry is not None


class Owners:
    """The identities of a directory, and the main checkout if they own it through that of a git worktree."""

    __slots__ = ("checkout", "identities")

    def __init__(self, identities: list[str], checkout: str = "") -> None:
        self.identities = identities
        self.checkout = checkout


def _git_files(disk: Disk, directory: bytes, stop: bytes) -> Iterator[bytes]:
    """The directories from here upwards that have a file `.git`, as a worktree has; up to a repository or `stop`."""
    while directory != stop:
        try:
            mode = disk.call("stat", system.lstat, directory.rstrip(b"/") + b"/.git").st_mode
        except OSError:
            mode = 0
        if system.S_ISREG(mode):
            yield directory
        elif mode or directory == b"/":
            return
        directory = directory.rpartition(b"/")[0] or b"/"


def _holds(outer: bytes, inner: bytes) -> bool:
    return (inner + b"/").startswith(outer.rstrip(b"/") + b"/")


def registry_bytes(bus: Bus) -> bytes | None:
    """The registry's bytes, through a symlink too; None if there is no registry. Refused if it is not a regular file."""
    from agentmail.core import registry

    disk = bus.disk
    flags = system.O_RDONLY | system.O_CLOEXEC | system.O_NONBLOCK
    with bus.open() as root:
        try:
            handle = Handle(disk, disk.call("open", system.open, REGISTRY, flags, dir_fd=root))
        except FileNotFoundError:
            if disk.exists(REGISTRY, root):
                raise registry.unsafe("is a symlink to nothing", "put the file back in its place") from None
            return None
        with handle as fd:
            if not is_file(disk.fstat(fd)):
                raise registry.unsafe("is not a regular file", "move it away and register again")
            return disk.read(fd, registry.MAX_BYTES + 1)


def mailboxes(bus: Bus) -> list[str]:
    """The identities that have a mailbox directory, sorted."""
    with bus.open() as root:
        return sorted(
            name
            for name in bus.disk.names(root)
            if names.is_identity(name) and _is_directory(bus, name, root)
        )


def _is_directory(bus: Bus, name: str, root: int) -> bool:
    info = bus.disk.stat_or_none(name, root)
    return info is not None and system.S_ISDIR(info.st_mode)


def is_known(bus: Bus, identity: str, known: KnownIdentities) -> bool:
    """True if the identity has a row or a mailbox."""
    if known.is_read and identity in known.rows:
        return True
    with bus.open() as root:
        if _is_directory(bus, identity, root):
            return True
    return identity in known.rows


def open_mailbox(
    bus: Bus, identity: str, known: KnownIdentities | None = None, *, to_deliver: bool = False
) -> Mailbox:
    """The mailbox of a known identity, created if it has only a row; else UnknownIdentity.

    The mailbox of an unregistered identity is opened too, unless it is `to_deliver`.
    """
    try:
        return bus.mailbox(identity)
    except FileNotFoundError:
        known = known or KnownIdentities(bus)
        from agentmail.core.former import former_mailbox, no_longer

        gone = no_longer(bus, identity)  # a row may outlive it, where a crash came in between
        if gone is None and identity in known.rows:
            return bus.mailbox(identity, make=True)
        kept = None if to_deliver else former_mailbox(bus, identity)
    if kept is not None:
        return kept
    raise gone or unknown(bus, identity, known)


def existing(bus: Bus, text: str) -> str:
    """`text`, if an identity may have this name; else Refused with the identities that it is similar to."""
    try:
        return names.identity(text)
    except Refused as error:
        try:
            near = names.near(names.as_word(text), {*KnownIdentities(bus).rows, *mailboxes(bus)})
        except (AgentMailError, OSError):
            near = []
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Refused(error.what, error.now, f"{hint}{error.next_step}") from None


def unknown(bus: Bus, identity: str, known: KnownIdentities) -> UnknownIdentity:
    """The error for an unknown identity: what became of a former one, else similar names."""
    from agentmail.core.former import no_longer

    gone = no_longer(bus, identity)
    if gone is not None:
        return gone
    identities = sorted({*known.rows, *mailboxes(bus)})
    near = names.near(identity, identities)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif identities:
        more = f" and {len(identities) - 10} more" if len(identities) > 10 else ""
        hint = f"registered: {', '.join(identities[:10])}{more}"
    else:
        hint = "nobody is registered yet: `agentmail register <id> <workdir> <responsibility>`"
    problem = f" ({known.problem})" if known.problem else ""
    return UnknownIdentity(
        f"nobody called {identity} is registered{problem}", names.NOTHING_CHANGED, hint, near=near
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.core.registry import Registry, Row
