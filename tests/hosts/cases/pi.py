"""The bench of Pi: `pi --mode json`, and for several prompts `pi --mode rpc`."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.script import Json, Step
from tests.hosts.rig.waiting import wait_for

from .bench import SECONDS, Bench

#: Nobody is asked, told or updated: the client calls the scripted model and nothing else.
QUIET = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


class PiBench(Bench):
    """Pi in a home of its own."""

    host = "pi"
    writer = ("write", "path", {"content": "x"})
    shell_tool = ("bash", "command", {})

    def prepare(self) -> None:
        """The folder of the client."""
        self.config.mkdir(parents=True)

    @property
    def config(self) -> Path:
        """The client's configuration."""
        return self.home / ".pi" / "agent"

    def configure(self, url: str) -> None:
        """The provider of models."""
        provider = {
            "baseUrl": f"{url}/v1",
            "apiKey": "none",
            "api": "openai-completions",
            "models": [{"id": "scripted"}],
        }
        (self.config / "models.json").write_text(json.dumps({"providers": {"scripted": provider}}))
        settings = {"defaultProvider": "scripted", "defaultModel": "scripted"}
        (self.config / "settings.json").write_text(json.dumps(settings))

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment."""
        return super().environment(url, {**QUIET, **(more or {})})

    def command(self, prompt: str, resume: str) -> list[str]:
        """`pi --mode json`."""
        session = ["--session", resume] if resume else []
        return [str(self.client), "--mode", "json", *session, prompt]

    @contextmanager
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> Iterator[RpcSession]:
        """A session that takes prompts on standard input."""
        with ScriptedModel(steps) as model, (self.root / "rpc.log").open("w") as log:
            self.configure(model.url)
            with subprocess.Popen(
                [str(self.client), "--mode", "rpc"],
                cwd=cwd or self.project,
                env=self.environment(model.url),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
            ) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                session = RpcSession(model, process.stdin, process.stdout)
                try:
                    yield session
                finally:
                    process.stdin.close()
                    process.wait(SECONDS)


class RpcSession:
    """One session of `pi --mode rpc`."""

    def __init__(self, model: ScriptedModel, stdin: IO[str], stdout: IO[str]) -> None:
        self.conversation: Conversation = model
        self._stdin = stdin
        self._events: queue.Queue[Json] = queue.Queue()
        threading.Thread(target=self._read, args=(stdout,), daemon=True).start()
        self._send(type="get_state")
        self._until("response")

    def ask(self, prompt: str) -> None:
        """Send the prompt and wait until nothing more follows from it."""
        self._send(type="prompt", message=prompt)
        self._until("agent_settled")

    def wait_seen(self, words: str) -> None:
        """Wait until these words have reached the model."""
        wait_for(lambda: words in self.conversation.seen(), f"{words!r} to reach the model", SECONDS)

    def _send(self, **command: str) -> None:
        self._stdin.write(json.dumps(command) + "\n")
        self._stdin.flush()

    def _read(self, stdout: IO[str]) -> None:
        for line in stdout:
            if line.startswith("{"):
                self._events.put(json.loads(line))

    def _until(self, kind: str) -> None:
        while self._events.get(timeout=SECONDS).get("type") != kind:
            pass
