"""A bus to examine: two identities, messages on request, and the findings by what they say."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.doctor.finding import Finding
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import Diagnosis, doctor
from agentmail.verbs.register import register

OLD = "20260101-0000-alpha"


def message(id: str, subject: str = "one line") -> bytes:
    """A message as it stands in a file."""
    keys = {"id": id, "from": "alpha", "to": "beta", "thread": id, "re": "", "subject": subject}
    header = "\n".join(f"{key}: {value}".rstrip() for key, value in keys.items())
    return f"---\n{header}\npriority: normal\ndate: 2026-01-01T00:00:00.000000Z\n---\ntext\n".encode()


class ExaminedBus:
    """A bus with alpha and beta, and a doctor for it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bus = Bus(str(path))
        self.beta = path / "beta"
        self.registry = path / "registry.md"
        for identity in ("alpha", "beta"):
            self.register(identity, "-")

    def register(self, identity: str, workdir: str) -> None:
        """Register, with the verb."""
        register(
            Call(self.bus, Environment({"HOME": "/nowhere"}, "/")), identity, workdir, f"what {identity} does"
        )

    def send(self, slug: str = "hello") -> str:
        """A message of alpha for beta."""
        self.waits(f"{OLD}-{slug}.md")
        return f"{OLD}-{slug}"

    def archived(self, slug: str = "hello") -> str:
        """A message that beta archived."""
        id = self.send(slug)
        archive(Call(self.bus), "beta", [id])
        return id

    def twice(self, slug: str = "hello") -> str:
        """A message whose archiving was cut off between its two steps: it is in both places."""
        id = self.send(slug)
        inbox = self.beta / "inbox" / f"{id}.md"
        data = inbox.read_bytes()
        archive(Call(self.bus), "beta", [id])
        inbox.write_bytes(data)
        return id

    def waits(self, name: str, data: bytes = b"") -> Path:
        """A file in beta's inbox that somebody put there by hand."""
        return put(self.beta / "inbox" / name, data or message(name.removesuffix(".md")))

    def keeps(self, name: str, data: bytes | None = None) -> Path:
        """A file in beta's archive that somebody put there by hand."""
        packed = gzip.compress(message(name.removesuffix(".md.gz"))) if data is None else data
        return put(self.beta / "archive" / name, packed)

    def doctor(self, *, fix: bool = False, **variables: str) -> Diagnosis:
        """Examine it, in surroundings of these variables."""
        return doctor(Call(self.bus, Environment(variables)), fix=fix)


def put(path: Path, data: bytes) -> Path:
    """Write a file whose mode is as it should be."""
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def the(diagnosis: Diagnosis, words: str, subject: str | None = None) -> Finding:
    """The one finding that says these words."""
    found = [
        one
        for one in diagnosis["findings"]
        if words in f"{one['subject']}: {one['what']}" and subject in (None, one["subject"])
    ]
    assert len(found) == 1, diagnosis["findings"]
    assert found[0]["fix"]
    return found[0]


def others(diagnosis: Diagnosis) -> list[Finding]:
    """Every finding but what the file system can do."""
    return [one for one in diagnosis["findings"] if one["subject"] != "file system"]


def unchanged(diagnosis: Diagnosis) -> list[Finding]:
    """What a second look finds, which must not have been fixed again."""
    assert [one for one in diagnosis["findings"] if one["fixed"]] == []
    return others(diagnosis)


def age(path: Path, hours: float) -> Path:
    """Let a file look so many hours old."""
    then = path.lstat().st_mtime_ns - int(hours * 3600 * 10**9)
    os.utime(path, ns=(then, then), follow_symlinks=False)
    return path
