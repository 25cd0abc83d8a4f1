"""Opens the index of a mailbox to read it, writes it after an answer, and removes it where it is damaged."""

from __future__ import annotations

from agentmail.core.fs import reason
from agentmail.views.index.changes import Changes
from agentmail.views.index.file import IndexFile, Writing
from agentmail.views.index.reader import Indexed
from agentmail.views.index.version import NONE, reads_alike
from agentmail.views.index.writer import PRAGMAS, Writer


def open_index(file: IndexFile, box: Mailbox) -> Indexed | None:
    """The reader over the index of a mailbox; None where there is none that can be used now."""
    connection = file.connect() if file.is_sealed() else None
    if connection is None:
        return None
    try:
        connection.execute("begin")
        # Once this is read nobody writes until the connection is closed; so the seal is looked at again.
        if reads_alike(_headers(connection)) and file.is_sealed():
            return Indexed(box, connection)
        connection.close()
    except connection.Error as error:
        connection.close()
        forget(file, connection, error)
    except BaseException:
        connection.close()
        raise
    return None


def _headers(connection: Connection) -> str:
    row = connection.execute("select value from about where word = 'headers'").fetchone()
    return str(row[0]) if row else NONE


def forget(file: IndexFile, connection: Connection, error: Exception) -> None:
    """Remove an index that is damaged; one that another process is writing, or that is out of reach, stays."""
    if not isinstance(error, connection.OperationalError):
        try:
            file.remove()
        except OSError as failed:
            file.disk.notes.append(f"a damaged index could not be removed: {reason(failed)}")


def write(
    file: IndexFile,
    box: Mailbox,
    progress: Progress | None = None,
    *,
    wait: bool = False,
    clock: Clock | None = None,
) -> bool:
    """Make the index, or bring it up to date; False where another process has it open, or there is no SQLite.

    OSError where it cannot be written; then it is removed. With `wait` it waits for another writer.
    """
    writing = Writing(file, wait=wait)
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
        if 2 * len(changes.dead) > rows or not reads_alike(_headers(connection)):
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
