"""What a case asks of a host: to run a prompt, to stay for several, and to spell the calls of its tools."""

from __future__ import annotations

import json
import os
import subprocess
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar, Protocol

from tests.hosts.rig.clients import CLIENTS
from tests.hosts.rig.conversation import Conversation, comparable, differences
from tests.hosts.rig.home import NOWHERE, Home
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.post import Post
from tests.hosts.rig.script import Json, Step
from tests.support.cli import Ran

SECONDS = 120


class Run(Conversation):
    """One run of a client to its end, and what reached the model meanwhile."""

    def __init__(self, model: ScriptedModel, done: subprocess.CompletedProcess[str]) -> None:
        super().__init__(model.requests)
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr

    @property
    def events(self) -> list[Json]:
        """The JSON objects that the client printed."""
        return [json.loads(line) for line in self.stdout.splitlines() if line.startswith("{")]

    @property
    def session(self) -> str:
        """The id of the session, as the client names it."""
        for event in reversed(self.events):
            for name in ("session_id", "sessionID", "thread_id"):
                if event.get(name):
                    return str(event[name])
            if event.get("type") == "session":
                return str(event["id"])
        raise AssertionError(f"no session in {self.stdout!r}; {self.stderr}")


class Live(Protocol):
    """A session that stays for several prompts; it runs within `with`."""

    @property
    def conversation(self) -> Conversation:
        """What reached the model so far."""

    def ask(self, prompt: str) -> None:
        """Give a prompt and wait until its turn has ended."""

    def wait_seen(self, words: str) -> None:
        """Wait until these words have reached the model."""


class Bench(Home):
    """A home for one host's client, with a bus on which alpha works in the project."""

    host: ClassVar[str]
    #: The cases that this host cannot do, each with the reason.
    cannot: ClassVar[Mapping[str, str]] = {}
    #: The file tool that writes, as (name, field of its path, fields beside it); and the shell's.
    writer: ClassVar[tuple[str, str, Mapping[str, str]]]
    shell_tool: ClassVar[tuple[str, str, Mapping[str, str]]]

    def __init__(self, client: Path, root: Path) -> None:
        super().__init__(root)
        self.client = client
        self.place("project")
        self.prepare()
        self.post = Post(self)

    def prepare(self) -> None:
        """Write what the client needs to run against the model without asking anybody."""

    @abstractmethod
    def command(self, prompt: str, resume: str) -> list[str]:
        """The command that runs one prompt to its end and prints JSON lines."""

    @abstractmethod
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> AbstractContextManager[Live]:
        """A session that stays for several prompts."""

    def configure(self, url: str) -> None:
        """Write down where the model is, for a client that takes no variable for it."""

    def run(
        self,
        prompt: str,
        steps: Iterable[Step] = (),
        *,
        resume: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Run:
        """One prompt, to its end."""
        with ScriptedModel(steps) as model:
            self.configure(model.url)
            done = subprocess.run(
                self.command(prompt, resume),
                cwd=cwd or self.project,
                env=self.environment(model.url, env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            return Run(model, done)

    @property
    def version(self) -> str:
        """The version of the client; empty where a session does not know it."""
        return CLIENTS[self.host].version

    def wire(self, *options: str) -> Ran:
        """`agentmail wire HOST`."""
        return self._mail("wire", self.host, *options)

    def unwire(self, *options: str) -> Ran:
        """`agentmail unwire HOST`."""
        return self._mail("unwire", self.host, *options)

    def end_hooks(self) -> None:
        """From now on the host has none of our hooks, and all else that `wire` added."""
        self.unwire()

    def _mail(self, *words: str) -> Ran:
        done = self.post.cli(*words)
        assert done.code == 0, done.err
        return done

    def write(self, path: Path | str) -> Step:
        """A call of the file tool that writes a whole file."""
        return _call(self.writer, str(path))

    def shell(self, command: str) -> Step:
        """A call of the shell."""
        return _call(self.shell_tool, command)

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment; a client that brings its own Node.js finds that first."""
        beside = self.client.parent
        found = super().environment(url, more)
        if os.access(beside / "node", os.X_OK):
            found["PATH"] = f"{beside}:{found['PATH']}"
        return found

    def differences(self, left: Conversation, right: Conversation) -> list[str]:
        """Where the main requests of two runs differ."""
        return differences(self._bodies(left), self._bodies(right), "requests")

    def _bodies(self, conversation: Conversation) -> list[Json]:
        return [comparable(request.body, self.root) for request in conversation.main]

    def tree(self) -> dict[str, bytes]:
        """Every file in the client's configuration."""
        folders = [self.home / name for name in os.listdir(self.home) if name.startswith(".")]
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for folder in folders
            if folder.name != ".agents"
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def _call(spelling: tuple[str, str, Mapping[str, str]], argument: str) -> Step:
    name, field, more = spelling
    return Step(tool=name, input={field: argument, **more})
