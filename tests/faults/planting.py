"""A bus made by hand, from the page about its files alone: nothing of the product is imported.

alpha asks, beta answers. beta has two messages waiting, one archived, and three past their age: archived
compressed, archived plain, and a copy of something sent.
"""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

DAY_NS = 86_400 * 10**9
WAITING, OTHER = "20260704-0930-alpha-waiting", "20260704-0931-alpha-other"
ARCHIVED = "20260703-1200-alpha-archived"
EXPIRED, EXPIRED_PLAIN, EXPIRED_SENT = (
    "20260101-0800-alpha-expired",
    "20260101-0801-alpha-plain",
    "20260101-0802-beta-gone",
)
#: Longer than a page of the kernel's cache, so that a torn one can end in the middle.
LONG = "one line of a long message, to be told apart by its length\n" * 100


def plant(bus: Path) -> None:
    """Make the bus."""
    plant_empty(bus)
    box = bus / "beta"
    write(box / "inbox" / f"{WAITING}.md", message(WAITING, body=LONG))
    write(box / "inbox" / f"{OTHER}.md", message(OTHER))
    write(box / "archive" / f"{ARCHIVED}.md.gz", gzip.compress(message(ARCHIVED, body=LONG), mtime=0))
    write(box / "archive" / f"{EXPIRED}.md.gz", gzip.compress(message(EXPIRED), mtime=0), days=100)
    write(box / "archive" / f"{EXPIRED_PLAIN}.md", message(EXPIRED_PLAIN), days=100)
    write(box / "sent" / f"{EXPIRED_SENT}.md", message(EXPIRED_SENT, "beta", "alpha"), days=100)


def plant_empty(bus: Path, *identities: str) -> None:
    """Who takes part (alpha and beta), without any message."""
    bus.mkdir(mode=0o700)
    write(bus / "registry.md", registry(*identities or ("alpha", "beta")))
    for identity in identities or ("alpha", "beta"):
        for folder in ("", "tmp", "inbox", "archive", "sent"):
            (bus / identity / folder).mkdir(mode=0o700)


def registry(*identities: str) -> bytes:
    """The registry with a row for each."""
    rows = "".join(f"| {identity} | - | what {identity} does |\n" for identity in identities)
    return f"# Registry\n\n| id | workdir | responsibility |\n|---|---|---|\n{rows}".encode()


def message(id: str, sender: str = "alpha", to: str = "beta", body: str = "short\n") -> bytes:
    """A message as the page draws it."""
    minute = f"{id[:4]}-{id[4:6]}-{id[6:8]}T{id[9:11]}:{id[11:13]}"
    return (
        f"---\nid: {id}\nfrom: {sender}\nto: {to}\nthread: {id}\nre:\nsubject: about {id}\n"
        f"priority: normal\ndate: {minute}:00.000000Z\n---\n{body}"
    ).encode()


def write(path: Path, data: bytes, days: int = 0) -> None:
    """Write a file for its owner alone, as old as that."""
    path.write_bytes(data)
    path.chmod(0o600)
    moment = time.time_ns() - days * DAY_NS
    os.utime(path, ns=(moment, moment))
