"""The index file of a mailbox: found, opened, sealed, removed.

A seal names the file as its writer left it: inode, size and times. It is removed before anything is written and made
anew when all of it is on the disk. So a file that was cut off, or that another program touched, has no seal.

Why a seal: SQLite finds pages that make no sense, but not a page that is older than the others, or one bit in a text.
"""

from __future__ import annotations

import os
import sys

from agentmail.core.fs import READ, Handle, is_file
from agentmail.core.locks import lock as take_lock
from agentmail.core.locks import try_lock
from agentmail.ledger.machine import local_directory, local_path

FOLDER = "index"
#: The version of the tables.
SCHEMA = 1
SEAL_MAX = 256


class IndexFile:
    """Where the index of a mailbox is. Nothing is made before `writing`."""

    def __init__(self, disk: Disk, home: str, bus: str, identity: str) -> None:
        self.disk = disk
        self.home = home
        self.bus = bus
        self.name = f"{identity}.db"
        self.seal = f"{identity}.seal"
        self.lock = f"{identity}.lock"

    @property
    def path(self) -> str:
        """The path of the file."""
        return local_path(self.home, self.bus, FOLDER, self.name)

    def folder(self, *, make: bool = False) -> Handle:
        """The directory; OSError where it is missing or others could write in it."""
        return local_directory(self.disk, self.home, self.bus, FOLDER, make=make)

    def is_sealed(self) -> bool:
        """True where the file is as the writer of this version left it."""
        try:
            with self.folder() as folder:
                with self.disk.file(self.seal, folder) as fd:
                    data = self.disk.read(fd, SEAL_MAX)
                info = self.disk.stat(self.name, folder)
            return data == _seal_of(info) and is_file(info) and is_private(info)
        except OSError:
            return False

    def exists(self) -> bool:
        """True where there is a file, sealed or not."""
        try:
            with self.folder() as folder:
                return self.disk.exists(self.name, folder)
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the file and its seal; OSError where that fails."""
        try:
            handle = self.folder()
        except FileNotFoundError:
            return
        with handle as folder:
            for name in (self.seal, self.name):
                self.disk.unlink(name, folder)

    def connect(self, *, write: bool = False) -> Connection | None:
        """A connection; None where there is no SQLite. It waits for no lock of another process."""
        try:
            # Why not `sqlite3`: it adds nothing used here but the import of `datetime`.
            import _sqlite3
        except ImportError:
            return None
        path = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        uri = f"file:{path}?mode={'rw' if write else 'ro'}"
        connection: Connection = self.disk.call(
            "database", _sqlite3.connect, uri, uri=True, timeout=0, isolation_level=None
        )
        return connection


def index_of(box: Mailbox, home: str) -> IndexFile:
    """Where the index of a mailbox is."""
    return IndexFile(box.disk, home, box.bus.root, box.identity)


class Writing:
    """The right to write the file, during a `with` block, which gets False where another process has it.

    With `wait` it waits for the other process, up to the patience of the disk.
    """

    def __init__(self, file: IndexFile, *, wait: bool = False) -> None:
        self.file = file
        self.wait = wait
        self._handles: list[Handle] = []

    @property
    def folder(self) -> int:
        """The directory of the file."""
        return self._handles[0].fd

    def __enter__(self) -> bool:
        disk = self.file.disk
        self._handles.append(self.file.folder(make=True))
        flags = READ | os.O_CREAT | os.O_NOFOLLOW
        try:
            lock = disk.call("create", os.open, self.file.lock, flags, 0o600, dir_fd=self.folder)
            self._handles.append(Handle(disk, lock))
            if self.wait:
                take_lock(disk, lock)
            return self.wait or try_lock(disk, lock)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        while self._handles:
            self.file.disk.close(self._handles.pop().fd)

    def unseal(self) -> None:
        """Remove the seal, durably: what is written next may reach the disk before the times of the file do."""
        if self.file.disk.unlink(self.file.seal, self.folder):
            self.file.disk.sync_directory(self.folder)

    def renew(self) -> None:
        """An empty file in the place of what is there."""
        self.unseal()
        self.file.disk.unlink(self.file.name, self.folder)
        with self.file.disk.create(self.file.name, self.folder):
            pass

    def look(self) -> int:
        """The inode of the file."""
        return self.file.disk.stat(self.file.name, self.folder).st_ino

    def complete(self, inode: int) -> None:
        """Seal the file, once all of it is on the disk; not if another one is in its place by now."""
        from agentmail.core.publishing import publish_new

        disk = self.file.disk
        with disk.file(self.file.name, self.folder) as fd:
            disk.sync_file(fd)
            info = disk.fstat(fd)
        if info.st_ino == inode:
            publish_new(disk, _seal_of(info), self.file.seal, self.folder)


def is_private(info: os.stat_result) -> bool:
    """True for an entry of ours that nobody else can open."""
    return info.st_uid == os.geteuid() and not info.st_mode & 0o077


def _seal_of(info: os.stat_result) -> bytes:
    from agentmail.views.index.version import READER

    python = f"{sys.hexversion >> 16:x}"
    parts = (SCHEMA, READER, python, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return (" ".join(map(str, parts)) + "\n").encode()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.fs import Disk
    from agentmail.core.layout import Mailbox
