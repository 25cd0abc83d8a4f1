"""The backup of a settings file, hidden beside it: its bytes before `wire`, so that `unwire` can restore them.

    .settings.json.before-agentmail   the file as it was, a plain copy; missing where there was none
    .settings.json.agentmail          the hashes of the file before and after, and whether `wire` made its directory

Both are written before the file is changed, and count only if all hashes are right: so after a crash at any point
either the file can be restored byte for byte, or the backup counts for nothing.
"""

from __future__ import annotations

import os

from agentmail.core.errors import Refused
from agentmail.core.fs import is_file
from agentmail.hosts.settings_file.read import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.fs import Disk

RECORD_LIMIT = 4096
NOTHING = ""


class Backup:
    """The backup of one settings file, in an open directory."""

    __slots__ = ("_copy", "_disk", "_folder", "_record", "_staging", "made")

    def __init__(self, disk: Disk, name: str, folder: int, *, made: bool = False) -> None:
        self._disk = disk
        self._folder = folder
        self._copy = f".{name}.before-agentmail"
        self._record = f".{name}.agentmail"
        self._staging = f".{name}.tmp-"
        #: True where `wire` made the directory.
        self.made = made

    def keep(self, data: bytes | None, new: bytes) -> None:
        """Record that `data` is about to become `new`. A file that is already wired by us is not backed up again."""
        found = self._read()
        if found and data is not None and _hash(data) in found["after"] and self._is_whole(found):
            before, made, after = found["before"], found["made"], [_hash(data), _hash(new)]
        else:
            before, made, after = _hash(data), self.made, [_hash(new)]
            if data is None:
                self._disk.unlink(self._copy, self._folder)
            else:
                self._put(self._copy, data)
        self._write({"before": before, "after": after, "made": made})

    def restored(self, data: bytes, is_wired: Callable[[bytes], bool]) -> tuple[bytes | None] | None:
        """The bytes to restore in place of `data`, None in the tuple for no file; None where others changed it since.

        A file that already ran our hooks is not restored: somebody had wired them by hand.
        """
        found = self._read()
        if not found or _hash(data) not in found["after"] or not self._is_whole(found):
            return None
        copy = self._bytes(self._copy, LIMIT) if found["before"] else None
        try:
            return None if copy and is_wired(copy) else (copy,)
        except Refused:
            return None

    def says_wired(self, data: bytes | None, content: Callable[[bytes | None], object]) -> bool:
        """Does the record say that `wire` changed the file, and does it say something else than before?"""
        found = self._read()
        if found is None or found["before"] == _hash(data):
            return False
        copy = self._bytes(self._copy, LIMIT) if found["before"] else None
        try:
            return not self._is_whole(found) or content(copy) != content(data)
        except Refused:
            return True

    def forget(self) -> bool:
        """Remove the backup; True where it says that `wire` made the directory. Call it with the lock held."""
        found = self._read()
        for name in self._disk.hidden_names(self._folder):
            if name.startswith(self._staging):
                self._disk.discard(name, self._folder)
        for name in (self._record, self._copy):
            self._disk.unlink(name, self._folder)
        return bool(found and found["made"])

    def _is_whole(self, found: Record) -> bool:
        return found["before"] == _hash(self._bytes(self._copy, LIMIT))

    def _bytes(self, name: str, limit: int) -> bytes | None:
        """The bytes of a hidden file; None where there is none."""
        if not self._disk.exists(name, self._folder):
            return None
        with self._disk.file(name, self._folder) as fd:
            return self._disk.read(fd, limit) if is_file(self._disk.fstat(fd)) else None

    def _read(self) -> Record | None:
        from json import loads

        try:
            found = loads(self._bytes(self._record, RECORD_LIMIT) or b"")
            before, after, made = found["before"], found["after"], found["made"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if not isinstance(before, str) or not isinstance(after, list) or not isinstance(made, bool):
            return None
        return {"before": before, "after": [str(one) for one in after], "made": made}

    def _write(self, record: Record) -> None:
        from json import dumps

        self._put(self._record, f"{dumps(record)}\n".encode())

    def _put(self, name: str, data: bytes) -> None:
        staged = f"{self._staging}{os.urandom(6).hex()}"
        renamed = False
        try:
            with self._disk.create(staged, self._folder) as fd:
                self._disk.write(fd, data)
            self._disk.rename(staged, self._folder, name, self._folder)
            renamed = True
        finally:
            if not renamed:
                self._disk.discard(staged, self._folder)
        self._disk.sync_directory(self._folder)


def _hash(data: bytes | None) -> str:
    from hashlib import sha256

    return NOTHING if data is None else sha256(data).hexdigest()


if TYPE_CHECKING:
    from typing import TypedDict

    class Record(TypedDict):
        """The file `_record`: `before` is empty where there was no file."""

        before: str
        after: list[str]
        made: bool
