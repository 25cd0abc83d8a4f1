"""Session files: `<identity>/sessions/<machine>/<session>.jsonl`, one fact per line, append-only.

Each write begins with a newline, so that a line torn by a crash damages no other line.
"""

from __future__ import annotations

import errno

from agentmail.core import names, system
from agentmail.core.fs import Handle, is_file, reason
from agentmail.core.layout import SESSIONS
from agentmail.core.locks import lock, try_lock, unlock
from agentmail.ledger.receipts import Receipts, fold

LIMIT = 64 << 20
#: The errors of an entry of another type: a folder or a pipe in the place of a record, a link, a file for a folder.
OTHER_TYPE = frozenset({errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})
#: The bytes that a running session reads of its own file: 40,000 receipts, in well under a second.
RECENT = 4 << 20
APPEND = (
    system.O_RDWR
    | system.O_APPEND
    | system.O_CREAT
    | system.O_NOFOLLOW
    | system.O_CLOEXEC
    | system.O_NONBLOCK
)


class SessionFile:
    """One session's facts, open for reading and appending; `with` closes it and releases its lock."""

    __slots__ = ("_handle", "_machine", "box", "disk")

    def __init__(self, box: Mailbox, machine: str, session: str) -> None:
        self.box = box
        self.disk = box.disk
        self._machine = machine
        folder = box.folder(SESSIONS)
        self.disk.make_directory(machine, folder)
        with self.disk.directory(machine, folder) as fd:
            opened = self.disk.call("create", system.open, f"{session}.jsonl", APPEND, 0o600, dir_fd=fd)
        self._handle = Handle(self.disk, opened)
        try:
            if not is_file(self.disk.fstat(opened)):
                raise OSError(errno.EINVAL, "not a regular file", f"{session}.jsonl")
        except OSError:
            self.disk.close(opened)
            raise

    def __enter__(self) -> SessionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.disk.close(self._handle.fd)

    def try_lock(self) -> bool:
        """Take the lock of this session file; False if another process holds it."""
        return try_lock(self.disk, self._handle.fd)

    def lock(self, seconds: float | None = None) -> None:
        """Take the lock of this session file; TimeoutError after `seconds`, or after the patience of the disk."""
        lock(self.disk, self._handle.fd, seconds)

    def unlock(self) -> None:
        """Release the lock."""
        unlock(self.disk, self._handle.fd)

    def receipts(self, limit: int = RECENT) -> Receipts:
        """The sum of the facts recorded now; of a file over `limit` bytes only its end counts."""
        size = self.disk.fstat(self._handle.fd).st_size
        start = max(0, size - limit)
        self.disk.call("seek", system.lseek, self._handle.fd, start, system.SEEK_SET)
        return fold(self.disk.read(self._handle.fd, size - start) if size else b"")

    def append(self, lines: list[str], *, durable: bool = False) -> None:
        """Append facts in one write; OSError if not all of them could be written."""
        if lines:
            data = "".join(f"\n{line}" for line in lines).encode()
            view = memoryview(data)
            while view:
                view = view[self.disk.call("write", system.write, self._handle.fd, view) :]
        if durable:
            self.sync()

    def sync(self) -> None:
        """Make the file and its name durable, including facts that an earlier process did not sync."""
        self.disk.sync_file(self._handle.fd)
        with self.disk.directory(self._machine, self.box.folder(SESSIONS)) as fd:
            self.disk.sync_directory(fd)


def read_receipts(
    box: Mailbox, machine: str, session: str, limit: int = LIMIT, *, sessions_only: bool = False
) -> Receipts | None:
    """The sum of the facts of a session; creates nothing; None if there is no such session.

    Of a file over `limit` bytes only the beginning counts.
    """
    named = all_receipts(box, machine=machine, session=session, limit=limit, sessions_only=sessions_only)
    for found_machine, found_session, receipts in named:
        if (found_machine, found_session) == (machine, session):
            return receipts
    return None


def all_receipts(
    box: Mailbox,
    machine: str | None = None,
    session: str | None = None,
    unreadable: list[str] | None = None,
    limit: int = LIMIT,
    sessions_only: bool = False,
) -> Iterator[tuple[str, str, Receipts]]:
    """Machine, session and sum of every session file of the mailbox (or of those named), sorted by name.

    A file that cannot be read ends the walk with OSError, unless `unreadable` is a list: it gets the error text, as it
    does for a record that is not a file or has lines that are no facts.
    """
    disk = box.disk
    try:
        folder = box.existing(SESSIONS)
    except OSError as error:
        _pass_over(error, "", unreadable)
        return
    if folder is None:
        return
    for one in sorted(filter(names.is_session, disk.names(folder))) if machine is None else [machine]:
        try:
            handle = disk.directory(one, folder)
        except OSError as error:
            _pass_over(error, one, unreadable)
            continue
        with handle as fd:
            for name in sorted(disk.names(fd)) if session is None else [f"{session}.jsonl"]:
                bare = name.removesuffix(".jsonl")
                if bare == name or not names.is_session(bare):
                    continue
                try:
                    found = _read(disk, name, fd, limit)
                except OSError as error:
                    _pass_over(error, f"{one}/{name}", unreadable)
                    continue
                receipts = fold(found, sessions_only=sessions_only)
                if receipts.garbage and unreadable is not None:
                    unreadable.append(
                        f"{SESSIONS}/{one}/{name}: {receipts.garbage} of its lines are no facts"
                    )
                yield one, bare, receipts


def _pass_over(error: OSError, name: str, unreadable: list[str] | None) -> None:
    """Report an entry that cannot be read; ignore one that is missing. Without a list, raise all but another type."""
    if isinstance(error, FileNotFoundError):
        return
    if unreadable is not None:
        unreadable.append(f"{SESSIONS}/{names.printable(name)}".rstrip("/") + f": {_why(error)}")
    elif error.errno not in OTHER_TYPE:
        raise error


def _why(error: OSError) -> str:
    return "not a file or directory of ours" if error.errno in OTHER_TYPE else reason(error)


def _read(disk: Disk, name: str, parent: int, limit: int) -> bytes:
    with disk.file(name, parent) as fd:
        info = disk.fstat(fd)
        if not is_file(info):
            raise OSError(errno.EISDIR, "not a regular file")
        return disk.read(fd, min(info.st_size, limit) + 1)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Mailbox
