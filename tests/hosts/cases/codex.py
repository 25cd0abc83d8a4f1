"""The bench of Codex: `codex exec`, and for several prompts `codex app-server`."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar

from tests.hosts.rig.conversation import Conversation, comparable
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.post import ALWAYS
from tests.hosts.rig.script import Json, Step
from tests.hosts.rig.waiting import wait_for
from tests.support.cli import Ran

from .bench import SECONDS, Bench

#: Codex offers its patch tool to the models of its catalogue only.
MODELS = Path(__file__).with_name("codex_models.json")
CHUNK = re.compile(r"Chunk ID: [0-9a-f]+")
#: What is the user's in the client's folder; it keeps much else there.
OF_THE_USER = ("config.toml", "hooks.json", "rules")


class CodexBench(Bench):
    """Codex in a home of its own, without a sandbox; the hooks are wired with `--trust`."""

    host = "codex"
    url = NOWHERE
    options: tuple[str, ...] = ()
    cannot: ClassVar[Mapping[str, str]] = {
        "the_record_names_the_host_and_its_version": "a hook is not told the version"
    }

    def prepare(self) -> None:
        """The configuration; where the model is, each run says."""
        folder = self.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"""# the user's own
model = "scripted"
model_provider = "scripted"
model_catalog_json = {json.dumps(str(MODELS))}
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{NOWHERE}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""
        )

    def configure(self, url: str) -> None:
        """Kept for the command: what `wire` had changed in the configuration must stay."""
        self.url = url

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment."""
        return super().environment(url, {**ALWAYS, **(more or {})})

    def program(self) -> list[str]:
        """The client, with its model at the present address."""
        return [str(self.client), "-c", f'model_providers.scripted.base_url="{self.url}/v1"']

    def command(self, prompt: str, resume: str) -> list[str]:
        """`codex exec`."""
        session = ["resume", resume] if resume else []
        return [*self.program(), "exec", "--json", "--skip-git-repo-check", *self.options, *session, prompt]

    def wire(self, *options: str) -> Ran:
        """`agentmail wire codex --trust`: without, the client skips our hooks."""
        return super().wire("--trust", *options)

    def end_hooks(self) -> None:
        """The entry of the server stays: its tools are in every request."""
        (self.home / ".codex" / "hooks.json").unlink()

    def agentmail(self, *words: str, codes: tuple[int, ...] = (0,)) -> Ran:
        """Run our command where it finds the client, which has to end with one of these codes."""
        path = f"{self.client.parent}:{os.environ['PATH']}"
        done = self.post.cli(*words, env={"PATH": path}, cwd=self.project, timeout=SECONDS)
        assert done.code in codes, done
        return done

    def _mail(self, *words: str) -> Ran:
        return self.agentmail(*words)

    def write(self, path: Path | str) -> Step:
        """A patch that adds a file."""
        return Step(custom="apply_patch", text=f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n")

    def shell(self, command: str) -> Step:
        """A call of the shell."""
        return Step(tool="exec_command", input={"cmd": command})

    def tree(self) -> dict[str, bytes]:
        """The files of the user."""
        return {
            name: data
            for name, data in super().tree().items()
            if Path(name).parts[0] == ".codex" and Path(name).parts[1] in OF_THE_USER
        }

    def _bodies(self, conversation: Conversation) -> list[Json]:
        """What the model reads: every item of a request has an id of its own, and so has the output of a shell."""
        bodies = [
            comparable({"messages": request.messages, "tools": request.body.get("tools")}, self.root)
            for request in conversation.main
        ]
        found: list[Json] = json.loads(CHUNK.sub("Chunk ID: <id>", json.dumps(bodies)))
        return found

    @contextmanager
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> Iterator[AppServerSession]:
        """A session of the app server, which is what the client's own screen talks to."""
        with ScriptedModel(steps) as model, (self.root / "app-server.log").open("w") as log:
            self.configure(model.url)
            environment = self.environment(model.url)
            environment["PATH"] = f"{self.client.parent}:{environment['PATH']}"
            with subprocess.Popen(
                [*self.program(), "app-server"],
                cwd=cwd or self.project,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
            ) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                try:
                    yield AppServerSession(model, process.stdin, process.stdout, cwd or self.project)
                finally:
                    process.stdin.close()
                    process.wait(SECONDS)


class AppServerSession:
    """One thread of `codex app-server`."""

    def __init__(self, model: ScriptedModel, stdin: IO[str], stdout: IO[str], cwd: Path) -> None:
        self.conversation: Conversation = model
        self._stdin = stdin
        self._messages: queue.Queue[Json] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, args=(stdout,), daemon=True).start()
        self._call("initialize", clientInfo={"name": "bench", "title": "bench", "version": "1"})
        self._send(method="initialized")
        self._thread = self._call("thread/start", cwd=str(cwd))["thread"]["id"]

    def ask(self, prompt: str) -> None:
        """Start a turn and wait until it has ended."""
        self._call("turn/start", threadId=self._thread, input=[{"type": "text", "text": prompt}])
        self._until(lambda found: found.get("method") == "turn/completed")

    def wait_seen(self, words: str) -> None:
        """Wait until these words have reached the model, and that turn has ended."""
        wait_for(lambda: words in self.conversation.seen(), f"{words!r} to reach the model", SECONDS)
        self._until(lambda found: found.get("method") == "turn/completed")

    def _call(self, method: str, **params: Any) -> Json:
        self._number += 1
        number = self._number
        self._send(id=number, method=method, params=params)
        found = self._until(lambda found: found.get("id") == number and "method" not in found)
        assert "error" not in found, found
        return dict(found["result"])

    def _send(self, **message: Any) -> None:
        self._stdin.write(json.dumps(message) + "\n")
        self._stdin.flush()

    def _read(self, stdout: IO[str]) -> None:
        for line in stdout:
            self._messages.put(json.loads(line))

    def _until(self, fits: Any) -> Json:
        while True:
            found = self._messages.get(timeout=SECONDS)
            if fits(found):
                return found
