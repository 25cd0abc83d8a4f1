"""Runs our hooks as a host does: programs with an event on standard input, on a bus that a test arranges."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import ROOT, Cli, Ran, run_process

HOOKS = ROOT / "hooks"
START, PROMPT = "SessionStart", "UserPromptSubmit"
#: Shells by the way to run a script in them, for those that are here.
SHELLS = {
    "dash": ["dash"],
    "bash": ["bash"],
    "bash --posix": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
    "zsh": ["zsh"],
}
MISSING_SHELLS = [name for name, words in SHELLS.items() if shutil.which(words[0]) is None]
#: Tests of modes run as a user who may not read everything.
IS_ROOT = os.geteuid() == 0
#: Root without the right to read everything: it still reaches every installed Python.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if IS_ROOT else []
STRANGER = 65534
AS_STRANGER = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"] if IS_ROOT else []
needs_modes = pytest.mark.skipif(
    IS_ROOT and shutil.which("setpriv") is None,
    reason="setpriv is not installed, and root may read everything",
)


@contextmanager
def open_place() -> Iterator[Path]:
    """A temporary directory that every user can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="agentmail-") as name:
        path = Path(name).resolve()
        path.chmod(0o755)
        yield path
        for entry in [path, *path.rglob("*")]:
            if entry.is_dir() and not entry.is_symlink():
                entry.chmod(0o700)


def give_to_stranger(path: Path) -> None:
    """Make the stranger the owner of everything in that directory."""
    if IS_ROOT:
        for directory, folders, files in os.walk(path):
            for name in (".", *folders, *files):
                os.chown(os.path.join(directory, name), STRANGER, STRANGER, follow_symlinks=False)


class Bed:
    """A bus with alpha, whose workdir is `work`, and the ways to run a hook of a session there."""

    def __init__(self, root: Path, name: str = "bus") -> None:
        self.root = root
        self.bus = root / name
        self.home = root / "home"
        self.work = root / "work"
        for directory in (self.bus, self.home, self.work):
            directory.mkdir(mode=0o700)
        self.session = "5f0c6d1e-session"
        self.variables: dict[str, str | None] = {}
        self.hooks = HOOKS
        self.register("alpha", self.work)

    # The bus

    def register(self, identity: str, workdir: Path | str) -> None:
        """A row and a mailbox, made long ago."""
        table = self.bus / "registry.md"
        if not table.exists():
            table.write_text("| id | workdir | responsibility |\n|---|---|---|\n")
        with table.open("a") as file:
            file.write(f"| {identity} | {workdir} | what {identity} does |\n")
        for folder in ("tmp", "inbox", "archive"):
            (self.bus / identity / folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.settle()

    @property
    def own(self) -> Path:
        """This machine's directory for the bus."""
        return self.home.joinpath(".agents", "machine", *(f"_{part}" for part in self.bus.parts[1:]))

    @property
    def states(self) -> Path:
        """Where the hooks keep the state of sessions."""
        return self.own / "hooks"

    def inbox(self, identity: str = "alpha") -> Path:
        """Where an identity's mail waits."""
        return self.bus / identity / "inbox"

    def put(self, name: str | bytes, identity: str = "alpha", *, old: bool = False) -> None:
        """A message of that id (or a file of that name, as bytes) arrives; `old`: it did so long ago."""
        path = os.path.join(
            os.fsencode(self.inbox(identity)), name if isinstance(name, bytes) else f"{name}.md".encode()
        )
        with open(path, "wb") as file:
            file.write(b"---\nsubject: SUBJECT-OF-A-SENDER\n---\nBODY-OF-A-SENDER\n")
        if old:
            self.settle()

    def settle(self, seconds: float = 3600) -> None:
        """All that is on the bus last changed that long ago."""
        moment = time.time_ns() - int(seconds * 10**9)
        for path in (self.bus / "registry.md", *self.bus.glob("*/inbox")):
            if path.exists():
                os.utime(path, ns=(moment, moment))

    def record(self, identity: str = "alpha") -> Path:
        """Where the session's receipts are."""
        found = list((self.bus / identity / "sessions").glob(f"*/{self.session}.jsonl"))
        return (
            found[0] if found else self.bus / identity / "sessions" / "no-machine" / f"{self.session}.jsonl"
        )

    def receipts(self, fact: str = "presented", identity: str = "alpha") -> list[dict[str, Any]]:
        """The session's facts of one kind, as they stand in the file."""
        path = self.record(identity)
        lines = path.read_text().splitlines() if path.exists() else []
        return [found for line in lines if line for found in [json.loads(line)] if found["fact"] == fact]

    # The hooks

    def environment(self, **variables: str | None) -> dict[str, str]:
        """Nothing of the surroundings but PATH, and what the host sets; None leaves a variable out."""
        host = {
            "CLAUDE_CODE_SESSION_ID": self.session,
            "CLAUDE_PROJECT_DIR": str(self.work),
            "PYTHONPATH": None,
            "PYTHONDONTWRITEBYTECODE": None,
        }
        return Cli(self.bus, self.home, **{**host, **self.variables}).environment(**variables)

    def payload(self, event: str, /, **fields: Any) -> dict[str, Any]:
        """What the host hands to a hook; a field given as None is left out."""
        known = {"session_id": self.session, "cwd": str(self.work), "hook_event_name": event, **fields}
        return {name: value for name, value in known.items() if value is not None}

    def command(
        self, program: str, *arguments: str, shell: str = "", python: str = sys.executable
    ) -> list[str]:
        """The words that run a hook, in a shell if one is named."""
        return [*SHELLS.get(shell, []), str(self.hooks / program), *arguments, python]

    def run(
        self,
        command: list[str],
        stdin: bytes | dict[str, Any] | None = b"",
        *,
        env: dict[str, str | None] | None = None,
        cwd: Path | None = None,
        **how: Any,
    ) -> Ran:
        """Run to the end, as the host would with a time-out."""
        data = json.dumps(stdin).encode() if isinstance(stdin, dict) else stdin
        return run_process(command, data, self.environment(**(env or {})), cwd or self.work, **how)

    def check(self, event: str, **how: Any) -> Ran:
        """mail-check for an event; `fields` go into the payload, `powerless` runs it without root's powers."""
        fields, powerless = how.pop("fields", {}), how.pop("powerless", False)
        stdin = how.pop("stdin", self.payload(event, **fields))
        command = self.command("mail-check", event)
        if powerless:
            command = [*POWERLESS, *command]
        done = self.run(command, stdin, **how)
        assert done.code == 0, done
        return done

    def check_text(self, event: str, **how: Any) -> str:
        """The notice at an event, or nothing."""
        return notice_of(self.check(event, **how), event)

    def start(self, **how: Any) -> str:
        """The notice when a session starts, or nothing."""
        return self.check_text(START, **how)

    def prompt(self, **how: Any) -> str:
        """The notice with a prompt, or nothing."""
        return self.check_text(PROMPT, **how)


def notice_of(done: Ran, event: str) -> str:
    """The words for the model in a hook's answer, which has to be one object of the known form or nothing."""
    if not done.stdout:
        return ""
    assert done.stdout.isascii()
    inner = done.json["hookSpecificOutput"]
    assert done.json.keys() == {"hookSpecificOutput"}
    assert inner.keys() == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == event
    return str(inner["additionalContext"])


def ids_in(notice: str) -> list[str]:
    """The ids that a notice names, between its marks."""
    if "<<<" not in notice:
        return []
    return notice.partition("<<< message ids\n")[2].partition("\n>>>")[0].split("\n")
