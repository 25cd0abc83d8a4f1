"""A bus with two identities, its surroundings, and the required form of an error."""

from __future__ import annotations

import gzip
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from agentmail.cli.main import main
from tests.support.cli import Cli, Ran, text_for
from tests.support.trees import tree

WAITING = "20260704-0930-alpha-budget"
ARCHIVED = "20260703-0800-alpha-old"
ALPHAS = "20260704-1000-beta-answer"
NOBODYS = "20260704-0930-alpha-nothing"

#: What a terminal would obey, or a reader not see; written down here again, so that the test is no mirror.
OBEYED = frozenset(
    chr(code)
    for first, last in (
        (0x00, 0x1F),
        (0x7F, 0x9F),
        (0x200B, 0x200F),
        (0x2028, 0x202E),
        (0x2060, 0x2069),
        (0xD800, 0xDFFF),
        (0xFEFF, 0xFEFF),
    )
    for code in range(first, last + 1)
)


class Inside(Cli):
    """The same call within this process, for long lists of rows; its streams are files."""

    def __call__(
        self,
        *words: str,
        stdin: bytes | str = b"",
        env: dict[str, str | None] | None = None,
        cwd: Path | None = None,
        timeout: float = 30,
    ) -> Ran:
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(text_for(words, stdin))
            given.seek(0)
            with _as_a_process((given.fileno(), out.fileno(), err.fileno())):
                os.chdir(cwd or self.home)
                os.environ.clear()
                os.environ.update(self.environment(**(env or {})))
                code = main(list(words))
            out.seek(0)
            err.seek(0)
            return Ran(code, out.read(), err.read())


@contextmanager
def _as_a_process(streams: tuple[int, int, int]) -> Iterator[None]:
    """The standard descriptors, and afterwards all that a call may change about its process as it was."""
    kept = [os.dup(fd) for fd in range(3)]
    variables, place, mask = dict(os.environ), os.getcwd(), os.umask(0o077)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        for fd, stream in enumerate(streams):
            os.dup2(stream, fd)
        yield
    finally:
        for fd, stream in enumerate(kept):
            os.dup2(stream, fd)
            os.close(stream)
        os.environ.clear()
        os.environ.update(variables)
        os.chdir(place)
        os.umask(mask)
        signal.signal(signal.SIGTERM, handler)


class Post:
    """Two identities with rows and mailboxes, a message waiting, one archived, one of the other's."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bus, self.home, self.desk = root / "bus", root / "home", root / "desk"
        for folder in (self.bus, self.home, self.desk, root / "alpha", root / "beta"):
            folder.mkdir(mode=0o700)
        self.registry = self.bus / "registry.md"
        rows = "".join(f"| {name} | {root}/{name} | duty of {name} |\n" for name in ("alpha", "beta"))
        self.registry.write_text(f"# Registry\n\n| id | workdir | responsibility |\n|---|---|---|\n{rows}")
        self.registry.chmod(0o600)
        for name in ("alpha", "beta"):
            for folder in (
                self.bus / name,
                *(self.bus / name / part for part in ("tmp", "inbox", "archive")),
            ):
                folder.mkdir(mode=0o700)
        self.inbox, self.archive = self.bus / "beta" / "inbox", self.bus / "beta" / "archive"
        self.put(self.inbox / f"{WAITING}.md", letter(WAITING))
        self.put(self.archive / f"{ARCHIVED}.md.gz", gzip.compress(letter(ARCHIVED), mtime=0))
        self.put(self.bus / "alpha" / "inbox" / f"{ALPHAS}.md", letter(ALPHAS, sender="beta", to="alpha"))
        self.run = Cli(self.bus, self.home)
        self.inside = Inside(self.bus, self.home)

    def put(self, path: Path, data: bytes, *, days_old: float = 0) -> Path:
        """A file, with an age where one is given."""
        path.write_bytes(data)
        path.chmod(0o600)
        if days_old:
            moment = path.stat().st_mtime - days_old * 86400
            os.utime(path, (moment, moment))
        return path

    def state(self) -> dict[str, tuple[str, int]]:
        """The bus and all around it: names, kinds, modes, bytes, and when each was last changed."""
        return {
            name: (what, (self.root / name).lstat().st_mtime_ns) for name, what in tree(self.root).items()
        }

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Nothing in here changes the bus, or anything around it."""
        before = self.state()
        yield
        assert self.state() == before

    def refuses(self, code: int, *words: str, run: Cli | None = None, **how: Any) -> str:
        """That call ends with the code and one proper line, says nothing else and touches nothing; the line."""
        with self.untouched():
            ran = (run or self.inside)(*words, **how)
        assert ran.code == code, (words, ran)
        assert ran.stdout == b"", (words, ran)
        return the_line(ran)

    def sent(self, *words: str, run: Cli | None = None, **how: Any) -> bytes:
        """That call delivers, in silence; the bytes of the message in beta's inbox."""
        ran = (run or self.inside)("send", *words, **how)
        assert (ran.code, ran.trouble) == (0, ""), (words, ran)
        return (self.inbox / f"{ran.out.strip()}.md").read_bytes()

    def row(self, identity: str) -> dict[str, Any]:
        """What `roster --json` says of an identity."""
        (found,) = [
            row for row in self.inside("roster", "--json").json["identities"] if row["id"] == identity
        ]
        return cast(dict[str, Any], found)

    def listed(self, name: str) -> dict[str, Any]:
        """What `check --json` says of the inbox entry of that file name."""
        told = self.inside("check", "beta", "--json").json["messages"]
        (found,) = [entry for entry in told if entry["file"] == name]
        return cast(dict[str, Any], found)


def letter(
    id: str, /, sender: str = "alpha", to: str = "beta", body: bytes = b"hello\n", **values: str
) -> bytes:
    """A message as the page about the bus describes it, written without the product."""
    header = {
        "id": id,
        "from": sender,
        "to": to,
        "thread": id,
        "re": "",
        "subject": "words",
        "priority": "normal",
    }
    header |= {"date": f"{id[:4]}-{id[4:6]}-{id[6:8]}T{id[9:11]}:{id[11:13]}:00.000000Z", **values}
    lines = "".join(f"{key}: {value}".rstrip() + "\n" for key, value in header.items())
    return b"---\n" + lines.encode("utf-8", "surrogateescape") + b"---\n" + body


def the_line(ran: Ran) -> str:
    """The one line on standard error: what happened; what is now true; what to do next."""
    clean(ran.stderr)
    assert ran.err.count("\n") == 1, ran
    assert ran.err.endswith("\n"), ran
    line = ran.err.rstrip("\n")
    assert line.startswith("agentmail: "), ran
    assert not line.startswith(("agentmail: warning", "agentmail: note")), ran
    parts = line.removeprefix("agentmail: ").split("; ")
    assert len(parts) >= 3, ran
    assert all(part.strip() for part in parts), ran
    assert "Traceback" not in line, ran
    assert len(line) < 1500, ran
    return line


def clean(data: bytes, keep: str = "\n") -> str:
    """The text of these bytes, which holds nothing that a terminal would obey."""
    text = data.decode()
    found = sorted({c for c in text if c in OBEYED and c not in keep})
    assert not found, (found, data)
    return text
