"""Opens an index for reading; a `check` needs no more, and does not load the reader of the views."""

from __future__ import annotations

from agentmail.core.fs import reason
from agentmail.views.index.file import NONE, index_of, reads_alike


def open_rows(box: Mailbox, home: str) -> Connection | None:
    """The rows of the index of a mailbox, which may not be true any more; None where there is no index."""
    file = index_of(box, home)
    return opened_rows(file) if file.is_sealed() else None


def opened_rows(file: IndexFile) -> Connection | None:
    """A connection on which nobody writes before it is closed; None where the index cannot be used now."""
    connection = file.connect()
    if connection is None:
        return None
    try:
        connection.execute("begin")
        # Once this is read nobody writes until the connection is closed; so the seal counts only now.
        if reads_alike(headers_reader(connection)) and file.is_sealed():
            return connection
    except connection.Error as error:
        remove_damaged(file, connection, error)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def headers_reader(connection: Connection) -> str:
    """What the writer of an index read headers with that are not in the canonical form."""
    row = connection.execute("select value from about where word = 'headers'").fetchone()
    return str(row[0]) if row else NONE


def remove_damaged(file: IndexFile, connection: Connection, error: Exception) -> None:
    """Remove an index that is damaged; one that another process is writing, or that is out of reach, stays."""
    if not isinstance(error, connection.OperationalError):
        try:
            file.remove()
        except OSError as failed:
            file.disk.notes.append(f"a damaged index could not be removed: {reason(failed)}")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.layout import Mailbox
    from agentmail.views.index.file import IndexFile
