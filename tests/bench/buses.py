"""Buses of a given size, written fast and without the product, so that setting up measures nothing."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

MESSAGE = """---
id: {id}
from: alpha
to: beta
thread: {thread}
re:
subject: Message number {number} about the state of things
priority: normal
date: 2026-01-{day:02}T{hour:02}:{minute:02}:12.345678Z
---
Conclusion first, in one sentence that says what is the case now.
1. One thing to do.
Evidence: /srv/project/path/to/file.py:{number}
"""
REGISTRY = """# Registry

| id | workdir | responsibility |
|---|---|---|
| alpha | {alpha} | sends |
| beta | {beta} | receives |
"""


def text(number: int, threads: int = 100) -> tuple[str, bytes]:
    """Id and bytes of message `number`; one a minute, spread over some threads."""
    day, rest = divmod(number, 1440)
    hour, minute = divmod(rest, 60)
    day = day % 28 + 1
    id = f"202601{day:02}-{hour:02}{minute:02}-alpha-n{number}"
    values = {"id": id, "number": number, "day": day, "hour": hour, "minute": minute}
    return id, MESSAGE.format(**values, thread=f"topic-{number % threads}").encode()


def bus(root: Path, waiting: int = 0, archived: int = 0, threads: int = 100) -> Path:
    """A bus with alpha, and beta who has that many messages waiting and archived."""
    root.mkdir(mode=0o700, parents=True)
    workdirs = {identity: workdir(root, identity) for identity in ("alpha", "beta")}
    for path in workdirs.values():
        path.mkdir()
    (root / "registry.md").write_text(REGISTRY.format_map(workdirs))
    for identity in ("alpha", "beta"):
        for folder in ("tmp", "inbox", "archive", "sent"):
            (root / identity / folder).mkdir(parents=True, mode=0o700)
    for number in range(waiting):
        id, data = text(number, threads)
        write(root / "beta" / "inbox" / f"{id}.md", data)
    for number in range(waiting, waiting + archived):
        id, data = text(number, threads)
        write(root / "beta" / "archive" / f"{id}.md.gz", gzip.compress(data, 1))
    (root / "beta" / ".upkeep").touch()  # no upkeep in the middle of a measurement
    return root


def workdir(root: Path, identity: str) -> Path:
    """Where that identity of the bus works."""
    return root.parent / f"{root.name}-{identity}"


def write(path: Path, data: bytes) -> None:
    """One file, 0600, unsynced."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.close(fd)
