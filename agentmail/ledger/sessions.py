"""Session files: `<identity>/sessions/<machine>/<session>.jsonl`, one line a fact, only ever appended to.

Each write begins with a newline, so that a line torn by a crash spoils nothing but itself.
"""

from __future__ import annotations

import errno
import os

from agentmail.core import names
from agentmail.core.fs import Handle, is_file, reason
from agentmail.core.layout import SESSIONS
from agentmail.core.locks import lock, try_lock, unlock
from agentmail.ledger.receipts import Receipts, fold

LIMIT = 64 << 20
#: What a running session reads of its own record: 40,000 receipts, in well under a second.
RECENT = 4 << 20
APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class SessionFile:
    """One session's facts, open for reading and appending; `with` closes it and so frees its lock."""

    __slots__ = ("_handle", "_machine", "box", "disk")

    def __init__(self, box: Mailbox, machine: str, session: str) -> None:
        self.box = box
        self.disk = box.disk
        self._machine = machine
        folder = box.folder(SESSIONS)
        self.disk.make_directory(machine, folder)
        with self.disk.directory(machine, folder) as fd:
            opened = self.disk.call("create", os.open, f"{session}.jsonl", APPEND, 0o600, dir_fd=fd)
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
        """Take the lock of this session's record; False when another holds it."""
        return try_lock(self.disk, self._handle.fd)

    def lock(self, seconds: float | None = None) -> None:
        """Take the lock of this session's record, waiting so long or as the disk has it; then TimeoutError."""
        lock(self.disk, self._handle.fd, seconds)

    def unlock(self) -> None:
        """Give the lock back."""
        unlock(self.disk, self._handle.fd)

    def receipts(self, limit: int = RECENT) -> Receipts:
        """The sum of what is recorded now; of a record over `limit` bytes, of its end."""
        size = self.disk.fstat(self._handle.fd).st_size
        start = max(0, size - limit)
        self.disk.call("seek", os.lseek, self._handle.fd, start, os.SEEK_SET)
        return fold(self.disk.read(self._handle.fd, size - start) if size else b"")

    def append(self, lines: list[str], *, durable: bool = False) -> None:
        """Append facts in one write; OSError where not all of it could be written."""
        if lines:
            data = "".join(f"\n{line}" for line in lines).encode()
            view = memoryview(data)
            while view:
                view = view[self.disk.call("write", os.write, self._handle.fd, view) :]
        if durable:
            self.sync()

    def sync(self) -> None:
        """Make the record durable, and its name; also what an earlier process wrote and did not come to sync."""
        self.disk.sync_file(self._handle.fd)
        with self.disk.directory(self._machine, self.box.folder(SESSIONS)) as fd:
            self.disk.sync_directory(fd)


def read_receipts(
    box: Mailbox, machine: str, session: str, limit: int = LIMIT, *, sessions_only: bool = False
) -> Receipts | None:
    """The sum of a session's facts, without making anything; None where there is no such session.

    Of a record over `limit` bytes, of its beginning.
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

    One that cannot be read stops the walk with its OSError, unless there is a list that takes what it says.
    """
    disk = box.disk
    folder = box.existing(SESSIONS)
    if folder is None:
        return
    for place in sorted(disk.names(folder)) if machine is None else [machine]:
        try:
            handle = disk.directory(place, folder)
        except OSError as error:
            _pass_over(error, place, unreadable)
            continue
        with handle as fd:
            for name in sorted(disk.names(fd)) if session is None else [f"{session}.jsonl"]:
                if not (name.endswith(".jsonl") and names.is_session(name.removesuffix(".jsonl"))):
                    continue
                try:
                    found = _read(disk, name, fd, limit)
                except OSError as error:
                    _pass_over(error, f"{place}/{name}", unreadable)
                    continue
                if found is not None:
                    yield place, name.removesuffix(".jsonl"), fold(found, sessions_only=sessions_only)


def _pass_over(error: OSError, name: str, unreadable: list[str] | None) -> None:
    """What is not there, or no place for receipts, is nothing; what cannot be read is said."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) or error.errno == errno.ELOOP:
        return
    if unreadable is None:
        raise error
    unreadable.append(f"{SESSIONS}/{names.printable(name)}: {reason(error)}")


def _read(disk: Disk, name: str, parent: int, limit: int) -> bytes | None:
    with disk.file(name, parent) as fd:
        info = disk.fstat(fd)
        return disk.read(fd, min(info.st_size, limit) + 1) if is_file(info) else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Mailbox
