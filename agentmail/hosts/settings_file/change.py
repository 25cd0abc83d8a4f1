"""Adds our entries to one settings file on the disk, and removes them.

The order that makes a crash safe: lock; read; edit the bytes; back up what the file was; write the new file beside
it; read again; rename onto the name. Afterwards it is read back, because the host saves the same file without a
lock and may drop entries that it did not write itself: then it is edited again, a few times.
"""

from __future__ import annotations

import errno
import os

from agentmail.core import names, stamps
from agentmail.core.errors import AgentMailError, Refused, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.locked_edit import edit
from agentmail.core.locks import Locked
from agentmail.hosts.settings_file.backup import Backup
from agentmail.hosts.settings_file.half_written import HalfWritten, is_young, settled
from agentmail.hosts.settings_file.read import LIMIT, is_read_only, read_settings, refuse_foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from agentmail.core.fs import Disk

    Change = Callable[[bytes | None, Backup], bytes | None]

    class Format(Protocol):
        """The format of a settings file: bytes in, bytes out. Each function raises Refused."""

        def parse(self, data: bytes) -> object:
            """Refuse bytes that are not understood."""

        def content(self, data: bytes) -> object:
            """What the file says, as a value that can be compared; None for nothing."""

        def wired(self, data: bytes) -> object:
            """Our entries in the file; a true value where there are any."""

        def unwire(self, data: bytes) -> bytes:
            """The file without our entries."""


ROUNDS = 5


class SettingsFile:
    """One settings file, which may be a symlink, or not exist yet."""

    def __init__(self, disk: Disk, path: str, format: Format) -> None:  # noqa: A002
        self.disk = disk
        self.path = path
        self.format = format
        self.folder, self.name = os.path.split(path)

    def read(self) -> bytes | None:
        """Its bytes, or None where there is no file."""
        return settled(self.path, lambda: self._understood(read_settings(self.disk, self.path)))

    def wire(self, complete: Callable[[bytes], bytes]) -> tuple[bool, bytes]:
        """Complete our entries: whether anything was missing, and the bytes of the file, which now has them all.

        `complete` adds what is missing, and returns the very object that it got where nothing is.
        """
        if is_read_only(self.path) and (data := self.read()) is not None and complete(data) is data:
            return False, data  # another program makes the file, with our entries
        changed, made = False, self._make_folder()
        try:
            for _ in range(ROUNDS):
                changed = self._edit(lambda data, backup: _wired(data, backup, complete), made) or changed
                data = self._read_back() if changed else self.read()
                if data is not None and complete(data) is data:
                    return changed, data
            raise TryAgain(
                f"{self._shown()} was changed back {ROUNDS} times by another program",
                "our entries are not in it",
                "end the program that saves it, then try again",
            )
        except (AgentMailError, OSError):
            self._tidy(made)
            raise

    def unwire(self) -> bool:
        """Remove our entries; True where every byte of the file is now as it was before `wire`."""
        restored: list[bool] = []
        data = self.read()
        if data is not None and self.format.wired(data):
            self._edit(lambda data, backup: self._unwired(data, backup, restored), False)
        elif data is not None:
            self._sync()
        made = self._forget()
        if made and restored[-1:] == [True]:
            self._remove_folder()
        return restored[-1:] == [True]

    def _sync(self) -> None:
        """Make durable what was found done: the process that did it may have died before it was on disk."""
        with self.disk.directory(os.path.dirname(os.path.realpath(self.path)), follow=True) as folder:
            self.disk.sync_directory(folder)

    def was_wired(self, data: bytes | None) -> bool:
        """Does the backup say that `wire` changed the file, which now holds `data`, and is it not as it was before?

        A file that says the same as before was restored by hand, whatever its layout.
        """
        try:
            with self.disk.directory(self.folder, follow=True) as folder:
                return Backup(self.disk, self.name, folder).says_wired(data, self._content)
        except FileNotFoundError:
            return False

    def _content(self, data: bytes | None) -> object:
        return self.format.content(data) if data else None

    def _edit(self, change: Change, made: bool) -> bool:
        def changed(data: bytes | None) -> bytes | None:
            return change(self._understood(data), backup)

        refuse_foreign(self.path)
        with self.disk.directory(self.folder, follow=True) as folder:
            backup = Backup(self.disk, self.name, folder, made=made)
            return settled(
                self.path, lambda: edit(self.disk, self.path, changed, limit=LIMIT + 1, shared=True)
            )

    def _understood(self, data: bytes | None) -> bytes | None:
        if data is not None and not data.strip() and is_young(self.path):
            raise HalfWritten
        if data is not None and len(data) > LIMIT:
            raise Refused(f"{self._shown()} is too large", names.NOTHING_CHANGED, "look at what is in it")
        if data is not None:
            try:
                self.format.parse(data)
            except Refused as error:
                raise Refused(f"{self._shown()}: {error.what}", error.now, error.next_step) from None
        return data

    def _make_folder(self) -> bool:
        """Make the directory if it is missing and its parent exists."""
        refuse_foreign(self.path)
        try:
            return not os.path.isdir(self.folder) and self.disk.make_directory(self.folder, None)
        except FileNotFoundError:
            raise Refused(
                f"there is no directory {names.printable(os.path.dirname(self.folder))}",
                names.NOTHING_CHANGED,
                "make it, or give another",
            ) from None

    def _read_back(self) -> bytes | None:
        try:
            return self.read()
        except OSError as error:
            raise Unconfirmed(
                f"{self._shown()} is wired, but cannot be read back: {reason(error)}",
                "our entries were in it a moment ago",
                "see `agentmail doctor`",
            ) from error

    def _tidy(self, made: bool) -> None:
        """After a failure: remove the backup where nothing is wired."""
        try:
            data = read_settings(self.disk, self.path)
            if (data is None or not self.format.wired(data)) and (self._forget() or made):
                self._remove_folder()
        except (AgentMailError, OSError):
            return

    def _forget(self) -> bool:
        """Remove the backup, and what a killed process left; True where it says that we made the directory."""
        try:
            made = False
            for path in {os.path.realpath(self.path), self.path}:
                folder, name = os.path.split(path)
                with self.disk.directory(folder, follow=True) as fd, Locked(self.disk, fd):
                    made = Backup(self.disk, name, fd).forget() or made
            return made
        except FileNotFoundError:
            return False
        except OSError as error:
            self.disk.notes.append(f"our backup beside {self._shown()} stays: {reason(error)}")
            return False

    def _remove_folder(self) -> None:
        """Remove the directory that `wire` made, if nothing is in it."""
        parent, name = os.path.split(self.folder)
        try:
            with self.disk.directory(parent, follow=True) as fd:
                stamps.remove_directory(self.disk, name, fd)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                self.disk.notes.append(f"the directory made by wire stays: {reason(error)}")

    def _unwired(self, data: bytes | None, backup: Backup, restored: list[bool]) -> bytes | None:
        restored.append(False)
        found = (
            backup.restored(data, lambda copy: bool(self.format.wired(copy))) if data is not None else None
        )
        if data is None or found is None:
            return None if data is None else self.format.unwire(data)
        restored[-1] = True
        return found[0]

    def _shown(self) -> str:
        return names.printable(self.path)


def _wired(data: bytes | None, backup: Backup, complete: Callable[[bytes], bytes]) -> bytes | None:
    new = complete(data or b"")
    if new is data:
        return data
    backup.keep(data, new)
    return new
