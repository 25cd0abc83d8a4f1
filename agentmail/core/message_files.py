"""The stored file of a message: found by id, read up to a limit, decompressed.

Only regular files are read: a FIFO, a symlink or a directory is reported and left as found.
"""

from __future__ import annotations

import errno

from agentmail.core import gz, names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import ARCHIVE, locate

NOT_A_FILE = frozenset({errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENOTDIR})


def read_file(
    box: Mailbox, folder: str, name: str, limit: int = gz.LIMIT
) -> tuple[bytes, os.stat_result] | None:
    """The bytes and the stat of a file; None if there is no file of that name.

    NotFound for an entry that is not a regular file, Refused for more than `limit` bytes.
    """
    parent = box.existing(folder)
    if parent is None:
        return None
    try:
        info, data = box.disk.peek(name, parent, limit, whole=True)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in NOT_A_FILE:
            raise _not_regular(box, folder, name) from None
        raise
    if data is None:
        raise _not_regular(box, folder, name)
    if info.st_size > limit:
        raise Refused(
            f"{folder}/{name} is larger than {limit >> 20} MiB", "it was left where it is", "move it by hand"
        )
    return data, info


def _not_regular(box: Mailbox, folder: str, name: str) -> NotFound:
    return NotFound(
        f"{names.printable(box.path(folder, name))} is not a regular file",
        "it was left as it is",
        "look at it with ls -l",
    )


def find_archived(box: Mailbox, id: str) -> str | None:
    """The name of the archive file of that id, compressed before plain; None if there is none."""
    archive = box.existing(ARCHIVE)
    if archive is not None:
        for name in (f"{id}.md.gz", f"{id}.md"):
            if box.disk.exists(name, archive):
                return name
    return None


def holds(box: Mailbox, folder: str, name: str, data: bytes) -> bool:
    """True if that file is a complete message with exactly these bytes."""
    try:
        found = read_file(box, folder, name)
        return found is not None and contents(name, found[0]) == data
    except (NotFound, Refused, gz.Damaged):
        return False


def contents(name: str, data: bytes) -> bytes:
    """The bytes of a message, decompressed if the name ends in .gz; gz.Damaged if they cannot be."""
    return gz.expand(data) if name.endswith(".gz") else data


def message_named(box: Mailbox, text: str) -> str:
    """The message id that `text` names; Refused where it names none, with what leads on where an entry is meant."""
    try:
        return names.message_id(text)
    except Refused as error:
        from agentmail.core.odd_names import explained

        raise explained(box, text, error) from None


def load_message(box: Mailbox, id: str) -> tuple[str, str, bytes]:
    """Folder, file name and bytes of a message in any folder of the mailbox."""
    for _ in range(3):
        folder, name = locate(box, id)
        found = read_file(box, folder, name)
        if found is None:
            # It was archived after it was located: locate it again.
            continue
        try:
            return folder, name, contents(name, found[0])
        except gz.Damaged as error:
            raise NotFound(
                f"{folder}/{name} of {box.identity} is damaged ({error})",
                "it was left as it is",
                f"see what `gunzip -c {names.printable(box.path(folder, name))}` still reads",
            ) from None
    raise NotFound(f"message {id} keeps moving", names.NOTHING_CHANGED, "look again")


def body_text(body: bytes) -> tuple[str, str]:
    """Encoding and text of a body: `utf-8`, or `base64` if it is not valid UTF-8."""
    try:
        return "utf-8", body.decode()
    except UnicodeDecodeError:
        from base64 import b64encode

        return "base64", b64encode(body).decode()


TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from agentmail.core.layout import Mailbox
