"""The layout of the bus: its directory, its mailboxes, their folders, the names in them.

<bus>/registry.md
<bus>/_former/              unregistered and renamed identities
<bus>/<identity>/tmp/        staging; readers never list it
                 inbox/      waiting
                 archive/    handled
                 sent/       the sender's own copies
                 sessions/   receipts
"""

from __future__ import annotations

import errno
import time

from agentmail.core import names, system
from agentmail.core.errors import NotFound, Refused, TryAgain, UnknownIdentity
from agentmail.core.fs import Disk, Handle, reason

TMP, INBOX, ARCHIVE, SENT, SESSIONS = "tmp", "inbox", "archive", "sent", "sessions"
FOLDERS = (TMP, INBOX, ARCHIVE)
REGISTRY = "registry.md"
#: No identity can have this name.
FORMER = "_former"
#: The folders and suffixes of a message, in the order of the search.
PLACES = ((INBOX, ".md"), (ARCHIVE, ".md.gz"), (ARCHIVE, ".md"), (SENT, ".md"))
#: How often a folder is created again if git, or a person, removes it before it is opened.
MAKES = 3

#: The errors of a path that is not a directory.
NO_DIRECTORY = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})


class Clock:
    """The time of day; tests pass another object."""

    def now_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return time.time_ns()


class Bus:
    """One bus directory, with the disk and the clock to use on it."""

    __slots__ = ("clock", "disk", "root")

    def __init__(self, root: str, disk: Disk | None = None, clock: Clock | None = None) -> None:
        self.root = root
        self.disk = disk or Disk()
        self.clock = clock or Clock()

    def path(self, *parts: str) -> str:
        """The path of something under the bus, for display."""
        return "/".join((self.root.rstrip("/"), *parts))

    def open(self) -> Handle:
        """Open the bus directory, which may be a symlink; UnknownIdentity if there is none yet."""
        try:
            handle = self.disk.directory(self.root, follow=True)
        except FileNotFoundError:
            raise UnknownIdentity(
                f"there is no bus at {names.printable(self.root)}",
                names.NOTHING_CHANGED,
                "`agentmail register <id> <workdir> <responsibility>` makes it",
            ) from None
        except OSError as error:
            if error.errno not in NO_DIRECTORY:
                raise
            raise Refused(
                f"the bus is not a directory: {reason(error)}", names.NOTHING_CHANGED, "set AGENT_MAIL_DIR"
            ) from None
        refuse_foreign(self.disk, handle, self.root)
        return handle

    def mailbox(self, identity: str, *, make: bool = False) -> Mailbox:
        """Open the mailbox of an identity; with `make` a missing directory is created.

        FileNotFoundError if it is missing and `make` is not set: the registry says which identities are known.
        """
        with self.open() as root:
            if make:
                self.disk.make_directory(identity, root)
            handle = self.disk.directory(identity, root)
        refuse_foreign(self.disk, handle, self.path(identity))
        return Mailbox(self, identity, handle)


class Mailbox:
    """The open directories of one identity, closed together at the end of a `with` block."""

    __slots__ = ("_folders", "_handle", "bus", "disk", "identity")

    def __init__(self, bus: Bus, identity: str, handle: Handle) -> None:
        self.bus = bus
        self.disk = bus.disk
        self.identity = identity
        self._handle = handle
        self._folders: dict[str, Handle] = {}

    @property
    def fd(self) -> int:
        """The mailbox directory itself."""
        return self._handle.fd

    def folder(self, name: str) -> int:
        """A folder of the mailbox, created if it is missing: git keeps no empty directories."""
        handle = self._folders.get(name)
        if handle is None:
            handle = self._folders[name] = self._opened(name)
        return handle.fd

    def _opened(self, name: str) -> Handle:
        for _ in range(MAKES):
            try:
                return self.disk.directory(name, self.fd)
            except FileNotFoundError:
                self.disk.make_directory(name, self.fd)
        return self.disk.directory(name, self.fd)

    def existing(self, name: str) -> int | None:
        """A folder of the mailbox, or None if it is missing; creates nothing."""
        if name not in self._folders:
            try:
                self._folders[name] = self.disk.directory(name, self.fd)
            except FileNotFoundError:
                return None
        return self._folders[name].fd

    def path(self, *parts: str) -> str:
        """The path of something in the mailbox, for display."""
        return self.bus.path(self.identity, *parts)

    def __enter__(self) -> Mailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the directories."""
        for handle in self._folders.values():
            self.disk.close(handle.fd)
        self.disk.close(self.fd)


def waiting(box: Mailbox) -> list[str]:
    """The file names in the inbox, oldest first; an inbox that cannot be read is an error, not empty."""
    return sorted(waiting_unordered(box), key=names.order)


def waiting_unordered(box: Mailbox) -> list[str]:
    """The file names in the inbox, unordered: cheaper if only few of many are needed."""
    inbox = box.existing(INBOX)
    return [] if inbox is None else box.disk.names(inbox)


def locate(box: Mailbox, id: str) -> tuple[str, str]:
    """Folder and file name of a message; NotFound if the mailbox does not have it."""
    for folder, suffix in PLACES:
        parent = box.existing(folder)
        if parent is not None and box.disk.exists(id + suffix, parent):
            return folder, id + suffix
    raise NotFound(
        f"no message {id} in the mailbox of {box.identity}",
        names.NOTHING_CHANGED,
        f"see `agentmail check {box.identity}`",
    )


def refuse_foreign(disk: Disk, handle: Handle, path: str) -> None:
    """Close and refuse a directory of another user; root may use the directory of any user."""
    user = system.geteuid()
    try:
        owner = disk.fstat(handle.fd).st_uid
    except OSError:
        disk.close(handle.fd)
        raise
    if user not in (0, owner):
        disk.close(handle.fd)
        raise TryAgain(
            f"{names.printable(path)} belongs to another user (uid {owner})",
            names.NOTHING_CHANGED,
            "work as that user, or set AGENT_MAIL_DIR to your own bus",
        )
