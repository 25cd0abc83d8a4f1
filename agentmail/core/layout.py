"""Where things are under the bus, and the one reader of the environment.

<bus>/registry.md
<bus>/<identity>/tmp/        staging; readers never look here
                 inbox/      waiting
                 archive/    handled
                 sent/       the sender's own copies
                 sessions/   receipts
"""

from __future__ import annotations

import errno
import os
import time

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain, UnknownIdentity
from agentmail.core.fs import Disk, Handle, reason

TMP, INBOX, ARCHIVE, SENT, SESSIONS = "tmp", "inbox", "archive", "sent", "sessions"
FOLDERS = (TMP, INBOX, ARCHIVE)
REGISTRY = "registry.md"
#: How often a folder is made that git, or somebody, removes again before it is open.
MAKES = 3

#: What the system says of a path that is not the path of a directory, now or later.
NO_DIRECTORY = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})

RETENTION_DAYS = 60
RETENTION_MAX = 36500


class Clock:
    """The time of day; tests hand in another."""

    def now_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return time.time_ns()


class Environment:
    """What the surroundings say: variables and the current directory."""

    def __init__(self, variables: Mapping[str, str], directory: str | None = None) -> None:
        self.variables = variables
        self._directory = directory

    @classmethod
    def of_process(cls) -> Environment:
        """The surroundings of this process."""
        return cls(os.environ)

    def bus_path(self) -> str:
        """The bus directory: AGENT_MAIL_DIR, else ~/.agents/mail. It may not exist yet."""
        path = self.variables.get("AGENT_MAIL_DIR")
        if path is None:
            return os.path.join(self.home(), ".agents", "mail")
        if not os.path.isabs(path) or "\0" in path:
            raise Refused(
                f"AGENT_MAIL_DIR is {names.quoted(path)}, not an absolute path",
                names.NOTHING_CHANGED,
                "set it to the bus directory's full path, or unset it for ~/.agents/mail",
            )
        return path.rstrip("/") or "/"

    def home(self) -> str:
        """The user's home directory."""
        path = self.variables.get("HOME", "")
        if not os.path.isabs(path):
            raise Refused(
                "HOME is not set to an absolute path", names.NOTHING_CHANGED, "set HOME or AGENT_MAIL_DIR"
            )
        return path

    def self_identity(self) -> str | None:
        """The identity that AGENT_MAIL_SELF names, or None."""
        text = self.variables.get("AGENT_MAIL_SELF", "")
        try:
            return names.identity(text) if text else None
        except Refused as error:
            raise Refused(f"AGENT_MAIL_SELF: {error.what}", error.now, error.next_step) from None

    def session(self, given: str | None = None) -> str:
        """The session: the one given, else AGENT_MAIL_SESSION, else the host's; empty where there is none."""
        variables = self.variables
        if given == "":
            raise Refused("the session is empty", names.NOTHING_CHANGED, "name it, or leave --session out")
        text = given or variables.get("AGENT_MAIL_SESSION") or variables.get("CLAUDE_CODE_SESSION_ID") or ""
        if text and not names.is_session(text):
            raise Refused(
                f"{names.quoted(text)} is not a session",
                names.NOTHING_CHANGED,
                "use at most 64 letters, digits, . _ -, beginning with a letter or digit",
            )
        return text

    def retention(self) -> str | None:
        """AGENT_MAIL_RETENTION_DAYS as it stands, or None."""
        return self.variables.get("AGENT_MAIL_RETENTION_DAYS")

    def directory(self) -> str:
        """The current directory."""
        if self._directory is not None:
            return self._directory
        try:
            return os.getcwd()
        except OSError as error:
            raise TryAgain(
                f"the current directory cannot be read: {reason(error)}",
                names.NOTHING_CHANGED,
                "cd elsewhere",
            ) from error


class Bus:
    """One bus directory, with the disk and the clock that its users go by."""

    __slots__ = ("clock", "disk", "root")

    def __init__(self, root: str, disk: Disk | None = None, clock: Clock | None = None) -> None:
        self.root = root
        self.disk = disk or Disk()
        self.clock = clock or Clock()

    def path(self, *parts: str) -> str:
        """The path of something under the bus, for people to read."""
        return "/".join((self.root.rstrip("/"), *parts))

    def open(self) -> Handle:
        """The bus directory, which may be a symlink; UnknownIdentity where there is none yet."""
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
        """The mailbox of an identity; with `make` its directory is made where it is missing.

        FileNotFoundError where it is missing otherwise: who is known is the registry's question.
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
        """A folder of the mailbox, made where it is missing: git, for one, keeps no empty ones."""
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
        """A folder of the mailbox, or None where it is missing: for looking without leaving a trace."""
        if name not in self._folders:
            try:
                self._folders[name] = self.disk.directory(name, self.fd)
            except FileNotFoundError:
                return None
        return self._folders[name].fd

    def path(self, *parts: str) -> str:
        """The path of something in the mailbox, for people to read."""
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


def refuse_foreign(disk: Disk, handle: Handle, path: str) -> None:
    """Close and refuse a directory that belongs to another user; root may work on anybody's."""
    user = os.geteuid()
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


def retention_days(text: str, lead: str = "") -> int:
    """`text` as a number of days, 1 to 36500 in plain digits; else Refused. Never a smaller number instead."""
    if 0 < len(text) <= 5 and names.DIGITS_ONLY.issuperset(text) and 1 <= int(text) <= RETENTION_MAX:
        return int(text)
    raise Refused(
        f"{lead}{names.quoted(text)} is not a number of days",
        "nothing was removed",
        f"give 1 to {RETENTION_MAX} in plain digits",
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
