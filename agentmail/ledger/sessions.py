"""Session files: `<identity>/sessions/<machine>/<session>.jsonl`, one line a fact, only ever appended to.

Each write begins with a newline, so that a line torn by a crash spoils nothing but itself.
"""

from __future__ import annotations

import errno
import os

from agentmail.core import names
from agentmail.core.fs import Handle, is_file
from agentmail.core.layout import SESSIONS
from agentmail.ledger.receipts import Receipts, fold

LIMIT = 64 << 20
#: What a running session reads of its own record: 40,000 receipts, in well under a second.
RECENT = 4 << 20
APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class SessionFile:
    """One session's facts, open for reading and appending; `with` closes it and so frees its lock."""

    __slots__ = ("_handle", "disk")

    def __init__(self, box: Mailbox, machine: str, session: str) -> None:
        self.disk = box.disk
        folder = box.folder(SESSIONS)
        self.disk.make_directory(machine, folder)
        with self.disk.directory(machine, folder) as fd:
            opened = self.disk.call("create", os.open, f"{session}.jsonl", APPEND, 0o600, dir_fd=fd)
        self._handle = Handle(self.disk, opened)
        if not is_file(self.disk.fstat(opened)):
            self.disk.close(opened)
            raise OSError(errno.EINVAL, "not a regular file", f"{session}.jsonl")

    def __enter__(self) -> SessionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.disk.close(self._handle.fd)

    def try_lock(self) -> bool:
        """Take the lock of this session's record; False when another holds it."""
        return self.disk.try_lock(self._handle.fd)

    def lock(self, seconds: float = 10.0) -> None:
        """Take the lock of this session's record; TimeoutError when another keeps it."""
        self.disk.lock(self._handle.fd, seconds)

    def unlock(self) -> None:
        """Give the lock back."""
        self.disk.unlock(self._handle.fd)

    def receipts(self) -> Receipts:
        """The sum of what is recorded now; of a record beyond reason, of its end."""
        size = self.disk.fstat(self._handle.fd).st_size
        start = max(0, size - RECENT)
        return fold(self.disk.call("read", os.pread, self._handle.fd, size - start, start))

    def append(self, lines: list[str], *, durable: bool = False) -> None:
        """Append facts in one write; OSError where not all of it could be written."""
        if not lines:
            return
        data = "".join(f"\n{line}" for line in lines).encode()
        view = memoryview(data)
        while view:
            view = view[self.disk.call("write", os.write, self._handle.fd, view) :]
        if durable:
            self.disk.sync_file(self._handle.fd)


def read_receipts(box: Mailbox, machine: str, session: str) -> Receipts | None:
    """The sum of a session's facts, without making anything; None where there is no such session."""
    for found_machine, found_session, receipts in all_receipts(box, machine=machine, session=session):
        if (found_machine, found_session) == (machine, session):
            return receipts
    return None


def all_receipts(
    box: Mailbox, machine: str | None = None, session: str | None = None
) -> Iterator[tuple[str, str, Receipts]]:
    """Machine, session and sum of every session file of the mailbox (or of those named), sorted by name."""
    disk = box.disk
    folder = box.existing(SESSIONS)
    if folder is None:
        return
    for place in sorted(disk.names(folder)) if machine is None else [machine]:
        try:
            handle = disk.directory(place, folder)
        except (FileNotFoundError, NotADirectoryError):
            continue
        with handle as fd:
            files = sorted(disk.names(fd)) if session is None else [f"{session}.jsonl"]
            for name in files:
                found = _read(disk, name, fd)
                if found is not None and names.is_session(name.removesuffix(".jsonl")):
                    yield place, name.removesuffix(".jsonl"), fold(found)


def _read(disk: Disk, name: str, parent: int) -> bytes | None:
    try:
        with disk.file(name, parent) as fd:
            return disk.read(fd, LIMIT)
    except FileNotFoundError:
        return None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Mailbox
