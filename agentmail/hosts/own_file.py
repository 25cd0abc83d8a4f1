"""A file that is ours as a whole, in a directory where a host looks for files: written, examined and removed again.

Its last line, a comment of the file's language, seals it: how many directories above it `wire` made, and a hash of
the rest. So the file itself says whether it is still as `wire` wrote it, whatever version of ours that was. A file
without a valid seal is somebody else's, or ours with changes: it is never replaced or removed.

Why no record beside the file: hosts load what lies in these directories, and a record could be lost or copied alone.
"""

from __future__ import annotations

import errno
import os

from agentmail.core import names, stamps
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import reason
from agentmail.core.locked_edit import edit
from agentmail.hosts.settings_file.half_written import HalfWritten, is_young, settled
from agentmail.hosts.settings_file.read import LIMIT, is_read_only, read_settings, refuse_foreign

#: The states of a file: not there; as `wire` would write it; as an earlier `wire` wrote it; anything else.
MISSING, CURRENT, OLDER, CHANGED = "missing", "current", "older", "changed"
SEAL = "Written by `agentmail wire`. `agentmail unwire` removes this file as long as it is unchanged:"


class OwnFile:
    """One file of ours; `comment` begins a comment in its language, and `text` is what it should hold."""

    def __init__(self, disk: Disk, path: str, text: str, *, comment: str = "//") -> None:
        self.disk = disk
        self.path = path
        self.text = text
        self._comment = comment
        self.folder, self.name = os.path.split(path)

    def state(self) -> str:
        """MISSING, CURRENT, OLDER or CHANGED. Refused where it is no regular file, OSError where it cannot be read."""
        return self._state(self._read())

    def diff(self) -> str:
        """What `wire` would change, as a unified diff; empty for nothing. Refused where `wire` would be."""
        from difflib import unified_diff

        data = self._read()
        if self._is_done(data):
            return ""
        refuse_foreign(self.path)
        old = [] if data is None else data.decode("utf-8", "replace").splitlines()
        new = self._sealed(data, self._missing_directories()).decode().splitlines()
        return "\n".join(
            unified_diff(old, new, "/dev/null" if data is None else self.path, self.path, lineterm="")
        )

    def wire(self) -> bool:
        """Write the file where it is missing or of an earlier version; False where it is there already.

        Refused where it is somebody else's or was changed since.
        """
        if self._is_done(self._read()) and is_read_only(self.path):
            return False  # another program makes the file
        refuse_foreign(self.path)
        made = self._make_directories()
        try:
            with self.disk.directory(self.folder, follow=True) as folder:
                self._discard_staged(folder)
            return settled(self.path, lambda: self._edit(lambda data: self._completed(data, made)))
        except (AgentMailError, OSError):
            if not os.path.lexists(self.path):
                self._remove_directories(made)
            raise

    def unwire(self) -> str:
        """Remove the file and the directories made for it: the state that it was in. A CHANGED file stays."""
        state, made = MISSING, [0]
        data = self._read()
        if data is not None and (state := self._state(data)) != CHANGED:
            refuse_foreign(self.path)
            settled(self.path, lambda: self._edit(lambda data: self._removed(data, made)))
            if state != MISSING and os.path.lexists(self.path) and not os.path.islink(self.path):
                return CHANGED  # somebody saved it meanwhile
        try:
            with self.disk.directory(self.folder, follow=True) as folder:
                self._discard_staged(folder)
                if os.path.islink(self.path) and not os.path.exists(self.path):
                    self.disk.unlink(self.name, folder)  # it led to our file, and now leads nowhere
        except FileNotFoundError:
            return state
        self._remove_directories(made[0])
        return state

    def _read(self) -> bytes | None:
        return settled(self.path, lambda: self._understood(read_settings(self.disk, self.path)))

    def _edit(self, change: Callable[[bytes | None], bytes | None]) -> bool:
        def changed(data: bytes | None) -> bytes | None:
            return change(self._understood(data))

        return edit(self.disk, self.path, changed, limit=LIMIT + 1, shared=True)

    def _understood(self, data: bytes | None) -> bytes | None:
        """A young file without a valid seal may be one that another program is saving."""
        if data is not None and _unsealed(data) is None and is_young(self.path):
            raise HalfWritten
        return data

    def _state(self, data: bytes | None) -> str:
        if data is None:
            return MISSING
        found = _unsealed(data)
        if found is None:
            return CHANGED
        return CURRENT if found[0] == self.text.encode() else OLDER

    def _is_done(self, data: bytes | None) -> bool:
        """True for a file as it should be; Refused for one that is not to be replaced."""
        state = self._state(data)
        if state == CHANGED:
            raise Refused(
                f"{names.printable(self.path)} is not as `wire` wrote it",
                names.NOTHING_CHANGED,
                "keep your changes elsewhere and remove the file, then try again",
            )
        return state == CURRENT

    def _completed(self, data: bytes | None, made: int) -> bytes | None:
        return data if self._is_done(data) else self._sealed(data, made)

    def _removed(self, data: bytes | None, made: list[int]) -> bytes | None:
        found = None if data is None else _unsealed(data)
        if found is None:
            return data
        made[0] = found[1]
        return None

    def _sealed(self, data: bytes | None, made: int) -> bytes:
        """The bytes of the file; one that replaces another keeps the count of directories."""
        before = None if data is None else _unsealed(data)
        count = made if before is None else before[1]
        return seal(self.text, count, self._comment)

    def _missing_directories(self) -> int:
        count, path = 0, self.folder
        while not os.path.isdir(path):
            count, path = count + 1, os.path.dirname(path)
        return count

    def _make_directories(self) -> int:
        """Make the missing directories above the file: how many."""
        paths = [self.folder]
        for _ in range(count := self._missing_directories()):
            paths.append(os.path.dirname(paths[-1]))
        for path in reversed(paths[:count]):
            self.disk.make_directory(path, None)
        return count

    def _remove_directories(self, count: int) -> None:
        """Remove up to `count` directories above the file, as far as they are empty."""
        path = self.folder
        for _ in range(count):
            parent, name = os.path.split(path)
            try:
                with self.disk.directory(parent, follow=True) as folder:
                    stamps.remove_directory(self.disk, name, folder)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                    self.disk.notes.append(f"a directory made by wire stays: {reason(error)}")
                return
            path = parent

    def _discard_staged(self, folder: int) -> None:
        """Remove what a killed process left beside the file."""
        for name in self.disk.hidden_names(folder):
            if name.startswith(f".{self.name}.tmp-"):
                self.disk.discard(name, folder)


def seal(text: str, made: int, comment: str) -> bytes:
    """A text with the line that seals it."""
    body = text.encode()
    return body + f"{comment} {SEAL} {made} {_hash(body, made)}\n".encode()


def _unsealed(data: bytes) -> tuple[bytes, int] | None:
    """The text of a file with a valid seal, and how many directories were made for it; else None."""
    body, newline, last = data.removesuffix(b"\n").rpartition(b"\n")
    words = last.decode("utf-8", "replace").split(" ")
    if not data.endswith(b"\n") or len(words) < 3 or not words[-2].isdecimal() or len(words[-2]) > 2:
        return None
    text, made = body + newline, int(words[-2])
    return (text, made) if words[-1] == _hash(text, made) and SEAL.encode() in last else None


def _hash(body: bytes, made: int) -> str:
    from hashlib import sha256

    return sha256(body + str(made).encode()).hexdigest()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.fs import Disk
