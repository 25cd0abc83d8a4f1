"""The index file of a mailbox: found, opened, sealed, removed.

A seal names the file as its writer left it: inode, size and times. It is removed before anything is written and made
anew when all of it is on the disk. So a file that was cut off, or that another program touched, has no seal.

Why a seal: SQLite finds pages that make no sense, but not a page that is older than the others, or one bit in a text.
"""

from __future__ import annotations

import sys

from agentmail.core import system
from agentmail.core.fs import is_file
from agentmail.ledger.machine import local_directory, local_path

FOLDER = "index"
#: The version of the tables.
SCHEMA = 2
SEAL_MAX = 256
#: A checksum of the code that decides what a row says; tests/views/test_reader_version.py compares it.
READER = "63bea08874cf"
#: What reads headers that are not in the canonical form, where a message had one: by YAML, or line by line without it.
BY_YAML, BY_LINES, NONE = "yaml", "lines", ""


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
            return data == seal_of(info) and is_file(info) and is_private(info)
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


def is_private(info: system.stat_result) -> bool:
    """True for an entry of ours that nobody else can open."""
    return info.st_uid == system.geteuid() and not info.st_mode & 0o077


def seal_of(info: system.stat_result) -> bytes:
    """The seal of a file with that stat, by this code and this Python."""
    python = f"{sys.hexversion >> 16:x}"
    parts = (SCHEMA, READER, python, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return (" ".join(map(str, parts)) + "\n").encode()


def other_reader() -> str:
    """What this process read such headers with so far."""
    if "agentmail.message.other_headers" not in sys.modules:
        return NONE
    return BY_YAML if "agentmail.message.yaml_header" in sys.modules else BY_LINES


def reads_alike(recorded: str) -> bool:
    """True where this process reads every header as the writer of the index did."""
    if recorded == NONE:
        return True
    found = any(finder.find_spec("frontmatter", None) for finder in list(sys.meta_path))
    return found == (recorded == BY_YAML)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from agentmail.core.fs import Disk, Handle
    from agentmail.core.layout import Mailbox
