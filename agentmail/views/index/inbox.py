"""The headers of what waits, from the rows of an index: each after a look at its file, some hundred rows at a time."""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.layout import INBOX
from agentmail.views.index.opening import open_rows
from agentmail.views.index.stored import ORDER, restored, stat_text, stored

TOGETHER = 500


class Headers:
    """The headers of messages by their file names, asked for in the order of these names."""

    def __init__(self, box: Mailbox, connection: Connection, files: list[str]) -> None:
        self.box = box
        self.connection = connection
        self.inbox = box.folder(INBOX)
        self._invoke = box.disk.invoke
        self._left = iter(files)
        self._rows: dict[str, tuple[str, bytes]] = {}
        self._known: set[str] = set()

    def of(self, name: str) -> Row | None:
        """Size and plain listing of a message; None where its row is not true, or has none."""
        if name not in self._known:
            self._fetch()
        row = self._rows.get(name)
        if row is None:
            return None
        try:
            info = self._invoke("stat", system.stat, name, dir_fd=self.inbox, follow_symlinks=False)
        except OSError:
            return None
        return (info.st_size, row[1]) if stat_text(info) == row[0] else None

    def _fetch(self) -> None:
        self._known = {name for name, _ in zip(self._left, range(TOGETHER), strict=False)}
        self._rows = {}
        keys = [stored(name) for name in self._known]
        query = "select name, stat, plain from message where plain is not null and place = ? and name between ? and ?"
        try:
            rows = self.connection.execute(
                query, (ORDER[INBOX], min(keys, default=b""), max(keys, default=b""))
            )
            self._rows = {restored(name): (stat, plain) for name, stat, plain in rows}
        except self.connection.Error:
            return  # then each is read

    def count(self) -> int:
        """How many rows there are of what waits."""
        try:
            row = self.connection.execute(
                f"select count(*) from message where place = {ORDER[INBOX]}"
            ).fetchone()
        except self.connection.Error:
            return 0
        return int(row[0])

    def close(self) -> None:
        """Close the index."""
        self.connection.close()


def headers_of(box: Mailbox, home: str, files: list[str]) -> Headers | None:
    """The headers that the index of a mailbox has; None where there is no index."""
    connection = open_rows(box, home) if home else None
    return Headers(box, connection, files) if connection is not None else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.layout import Mailbox

    #: Size and plain listing of a message.
    Row = tuple[int, bytes]
