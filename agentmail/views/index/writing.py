"""Writes an index after an answer, beside other processes that read or write it."""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.fs import READ, Handle
from agentmail.core.locks import lock as take_lock
from agentmail.core.locks import try_lock
from agentmail.core.publishing import publish_new
from agentmail.views.index.changes import Changes
from agentmail.views.index.file import reads_alike, seal_of
from agentmail.views.index.opening import headers_reader
from agentmail.views.index.writer import PRAGMAS, Writer


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
        flags = READ | system.O_CREAT | system.O_NOFOLLOW
        try:
            lock = disk.call("create", system.open, self.file.lock, flags, 0o600, dir_fd=self.folder)
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
        disk = self.file.disk
        with disk.file(self.file.name, self.folder) as fd:
            disk.sync_file(fd)
            info = disk.fstat(fd)
        if info.st_ino == inode:
            publish_new(disk, seal_of(info), self.file.seal, self.folder)


def write(
    file: IndexFile,
    box: Mailbox,
    progress: Progress | None = None,
    *,
    clock: Clock | None = None,
) -> bool:
    """Make the index, or bring it up to date; False where another process has it open, or there is no SQLite.

    OSError where it cannot be written; then it is removed.
    """
    writing = Writing(file)
    with writing as may:
        if not may:
            return False
        try:
            if not file.is_sealed():
                writing.renew()
            done = _written(file, box, writing, progress, clock)
            return _made_anew(file, box, writing, progress, clock) if done is None else done
        except BaseException:
            file.remove()
            raise


def purge(file: IndexFile, box: Mailbox) -> None:
    """Remove from the index what is no longer in the mailbox; else the index. OSError where neither can be done.

    It waits for another writer, who may have read what was removed since; one that takes too long cannot seal the file.
    """
    if not file.exists():
        return
    try:
        writing = Writing(file, wait=True)
        with writing:
            if file.is_sealed() and _written(file, box, writing, None, None):
                return
    except OSError:
        pass  # then all of it goes
    file.remove()


def _made_anew(
    file: IndexFile, box: Mailbox, writing: Writing, progress: Progress | None, clock: Clock | None
) -> bool:
    writing.renew()
    return bool(_written(file, box, writing, progress, clock))


def _written(
    file: IndexFile, box: Mailbox, writing: Writing, progress: Progress | None, clock: Clock | None
) -> bool | None:
    """True once it is written; None where it is better made anew."""
    inode = writing.look()
    connection = file.connect(write=True)
    if connection is None:
        return False
    try:
        if not _is_taken(connection):
            return False
        writing.unseal()
        writer = Writer(box, connection)
        if connection.execute("select 1 from sqlite_master").fetchone() is None:
            writer.make()
        (rows,) = connection.execute("select count(*) from message").fetchone()
        changes = Changes(box, connection, clock)
        if 2 * len(changes.dead) > rows or not reads_alike(headers_reader(connection)):
            return None
        writer.update(changes, progress)
        connection.execute("commit")
    except connection.Error as error:
        raise OSError(f"the index cannot be written: {error}") from error
    finally:
        connection.close()
    writing.complete(inode)
    return True


def _is_taken(connection: Connection) -> bool:
    """True where no reader has the file open; one that has it is not waited for."""
    for pragma in PRAGMAS:
        connection.execute(f"pragma {pragma}")
    try:
        connection.execute("begin exclusive")
    except connection.OperationalError:
        return False
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.layout import Clock, Mailbox
    from agentmail.views.base import Progress
    from agentmail.views.index.file import IndexFile
