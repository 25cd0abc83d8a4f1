"""The bench of opencode: `opencode run`, and for several prompts `opencode serve`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.script import Step
from tests.hosts.rig.waiting import wait_for

from .bench import SECONDS, Bench

#: Nobody is asked, told or updated: the client calls the scripted model and nothing else.
QUIET = {f"OPENCODE_DISABLE_{what}": "1" for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE")}
#: What the client installs into its configuration at its first start; kept beside the client, as it is large.
INSTALLED = ("node_modules", "package.json", "package-lock.json", ".gitignore")


class OpencodeBench(Bench):
    """opencode in a home of its own."""

    host = "opencode"
    writer = ("write", "filePath", {"content": "x"})
    shell_tool = ("bash", "command", {"description": "as scripted"})

    @property
    def config(self) -> Path:
        """The client's configuration."""
        return self.home / ".config" / "opencode"

    def prepare(self) -> None:
        """Copy what a first start would install, made by one in a home that is thrown away."""
        self.config.mkdir(parents=True)
        kept = self.client.parents[2] / "first-start"
        if not kept.is_dir():
            self._first_start(kept)
        for name in INSTALLED:
            subprocess.run(["cp", "-a", str(kept / name), str(self.config)], check=True)

    def _first_start(self, kept: Path) -> None:
        new = Path(tempfile.mkdtemp(dir=kept.parent))
        try:
            (self.config / "opencode.json").write_text("{}")
            with ScriptedModel() as model, _served(self, model, self.project) as url:
                ServedSession(model, url, self.project)
                wait_for((self.config / INSTALLED[2]).exists, "the first start", SECONDS)
            for name in INSTALLED:
                shutil.move(self.config / name, new)
            if not kept.is_dir():
                os.rename(new, kept)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def configure(self, url: str) -> None:
        """The provider of models."""
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 4000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
            "models": {"scripted": model},
        }
        settings = {
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": False,
            "share": "disabled",
            "permission": {"external_directory": "allow"},
            "provider": {"scripted": provider},
        }
        (self.config / "opencode.json").write_text(json.dumps(settings))

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment."""
        return super().environment(url, {**QUIET, **(more or {})})

    def command(self, prompt: str, resume: str) -> list[str]:
        """`opencode run`."""
        session = ["--session", resume] if resume else []
        return [str(self.client), "run", "--format", "json", *session, prompt]

    @contextmanager
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> Iterator[ServedSession]:
        """A session of a server on the loopback interface."""
        model = ScriptedModel(steps)
        directory = cwd or self.project
        with model:
            self.configure(model.url)
            with _served(self, model, directory) as url:
                yield ServedSession(model, url, directory)


class ServedSession:
    """One session of `opencode serve`."""

    def __init__(self, model: ScriptedModel, url: str, directory: Path) -> None:
        self.conversation: Conversation = model
        self._url = url
        self._directory = directory
        self.id = str(self._call("/session", {})["id"])

    def ask(self, prompt: str) -> None:
        """The answer to this request comes at the end of the turn."""
        self._call(f"/session/{self.id}/message", {"parts": [{"type": "text", "text": prompt}]})

    def wait_seen(self, words: str) -> None:
        """Wait until these words have reached the model."""
        wait_for(lambda: words in self.conversation.seen(), f"{words!r} to reach the model", SECONDS)

    def _call(self, path: str, body: Any) -> Any:
        query = urllib.parse.urlencode({"directory": str(self._directory)})
        request = urllib.request.Request(
            f"{self._url}{path}?{query}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.loads(answer.read())


@contextmanager
def _served(bench: OpencodeBench, model: ScriptedModel, cwd: Path) -> Iterator[str]:
    """`opencode serve`: the address that it says it listens at."""
    with (
        (bench.root / "serve.log").open("w") as log,
        subprocess.Popen(
            [str(bench.client), "serve", "--port", "0", "--hostname", "127.0.0.1"],
            cwd=cwd,
            env=bench.environment(model.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if found := re.search(r"http://[\d.:]+", line):
                    yield found[0]
                    return
            raise AssertionError("opencode serve did not start")
        finally:
            server.terminate()
            server.wait(SECONDS)
