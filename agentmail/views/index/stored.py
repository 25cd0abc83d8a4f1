"""How an index holds places, text, stats and headers.

Text is stored as UTF-8 bytes in which a lone surrogate, as a file name can have, is kept: their order is that of
Python's own text, and none is refused.
"""

from __future__ import annotations

from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.message import Message

#: The order in which an id that is in several places is looked for.
ORDER = {INBOX: 0, ARCHIVE: 1, SENT: 2}
PLACE = {number: place for place, number in ORDER.items()}


def stored(text: str) -> bytes:
    """Text as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def restored(data: bytes) -> str:
    """The text that was stored."""
    return data.decode("utf-8", "surrogatepass")


def stat_text(info: os.stat_result) -> str:
    """What a file's stat says of whether it was changed. The time of its inode is in it: no program can set that."""
    return f"{info.st_ino} {info.st_size} {info.st_mtime_ns} {info.st_ctime_ns}"


def key_text(key: Key) -> bytes:
    """The sort key of a message as bytes of the same order."""
    minute, within, (_, stem, number, name) = key
    return stored("\0".join((minute, within, stem, f"{number:010}", name)))


def restored_key(key: bytes) -> Key:
    """The sort key that was stored."""
    minute, within, stem, number, name = restored(key).split("\0")
    return minute, within, (minute, stem, int(number), name)


def message_of(header: bytes) -> Message:
    """The message of a stored header, without a body."""
    flags, *parts = restored(header).split("\n")
    values = dict(zip(parts[::2], parts[1::2], strict=True))
    return Message(values, b"", tuple(flags.split(",")) if flags else ())


TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from agentmail.views.base import Key
