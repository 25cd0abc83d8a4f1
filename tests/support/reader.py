"""A second reader of the bus, from the page about its files alone: nothing of the product is imported.

Why: a test that asks the product whether the product lost a message would believe it.
"""

from __future__ import annotations

import gzip
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Box:
    """One mailbox: bytes by message id in three folders, names in tmp, and what could not be read."""

    inbox: dict[str, bytes] = field(default_factory=dict)
    archive: dict[str, bytes] = field(default_factory=dict)
    sent: dict[str, bytes] = field(default_factory=dict)
    tmp: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def received(self) -> dict[str, bytes]:
        """Inbox and archive in one; an archived copy counts where both are there."""
        return {**self.inbox, **self.archive}


def read_bus(bus: Path) -> dict[str, Box]:
    """Every mailbox of a bus by identity."""
    boxes = sorted(entry for entry in bus.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    return {entry.name: read_box(entry) for entry in boxes}


def read_box(mailbox: Path) -> Box:
    """One mailbox directory."""
    box = Box(tmp=sorted(os.listdir(mailbox / "tmp")) if (mailbox / "tmp").is_dir() else [])
    for folder in ("inbox", "archive", "sent"):
        for path in sorted((mailbox / folder).iterdir()) if (mailbox / folder).is_dir() else ():
            if path.name.startswith("."):
                box.hidden.append(f"{folder}/{path.name}")
            elif folder != "sent" or path.suffix != ".jsonl":  # facts about a message, and no message
                _take(box, getattr(box, folder), path)
    return box


def _take(box: Box, messages: dict[str, bytes], path: Path) -> None:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError("not a regular file")
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if messages.setdefault(path.name.removesuffix(".gz").removesuffix(".md"), data) != data:
            raise OSError("another message of the same id")
    except (OSError, EOFError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        box.broken.append(f"{path.parent.name}/{path.name}: {error}")


def header_and_body(message: bytes) -> tuple[dict[str, str], bytes]:
    """The header lines as written, by key, and the body's bytes; ValueError where there is no header."""
    first, _, rest = message.partition(b"\n")
    header, mark, body = rest.partition(b"\n---\n")
    if first != b"---" or not mark:
        raise ValueError(f"no header: {message[:80]!r}")
    pairs = (line.split(":", 1) for line in header.decode().split("\n"))
    return {key: value.removeprefix(" ") for key, value in pairs}, body
