"""The bench of Gemini CLI: `gemini -p`, and for several prompts `gemini --acp`."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar

from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.post import ALWAYS
from tests.hosts.rig.script import Json, Step

from .bench import SECONDS, Bench

#: Nobody is asked, told or updated: the client calls the scripted model and nothing else.
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
}
NUMBERED = re.compile(r"(run_shell_command_|PGID: )[0-9_]+")
OPTIONS = ("--approval-mode", "yolo", "-m", "gemini-2.5-flash")


class GeminiBench(Bench):
    """Gemini CLI in a home of its own."""

    host = "gemini"
    workspace: tuple[str, ...] = ()
    writer = ("write_file", "file_path", {"content": "x"})
    shell_tool = ("run_shell_command", "command", {"description": "as scripted"})
    cannot: ClassVar[Mapping[str, str]] = {
        "a_message_starts_a_turn_of_an_idle_session_once": "nothing reaches an idle session but its terminal",
        "the_record_names_the_host_and_its_version": "a hook is not told the version",
    }

    def prepare(self) -> None:
        """The settings, in the layout in which the client writes them."""
        folder = self.home / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(SETTINGS, indent=2))

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment."""
        quiet = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_NO_RELAUNCH": "true",  # one process, which a test can end
        }
        return super().environment(url, {**quiet, **ALWAYS, **(more or {})})

    def command(self, prompt: str, resume: str) -> list[str]:
        """`gemini -p`."""
        session = ["--resume", resume] if resume else []
        report = ["--output-format", "stream-json", *self.workspace]
        return [str(self.client), *OPTIONS, *report, *session, "-p", prompt]

    def write(self, path: Path | str) -> Step:
        """A call of the file tool. The client keeps it inside of the workspace, so the bus is made a part of that."""
        self.workspace = ("--include-directories", str(self.post.bus))
        return super().write(path)

    def _bodies(self, conversation: Conversation) -> list[Json]:
        """Each call of a tool and each process has a number of its own."""
        found: list[Json] = json.loads(NUMBERED.sub(r"\1<number>", json.dumps(super()._bodies(conversation))))
        return found

    def tree(self) -> dict[str, bytes]:
        """The settings; the client keeps much else in its folder."""
        return {name: data for name, data in super().tree().items() if name == ".gemini/settings.json"}

    @contextmanager
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> Iterator[AcpSession]:
        """A session of the Agent Client Protocol."""
        with (
            ScriptedModel(steps) as model,
            (self.root / "acp.log").open("w") as log,
            subprocess.Popen(
                [str(self.client), *OPTIONS, "--acp"],
                cwd=cwd or self.project,
                env=self.environment(model.url),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
            ) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                yield AcpSession(model, process.stdin, process.stdout, cwd or self.project)
            finally:
                process.kill()  # it does not end by itself


class AcpSession:
    """One session of `gemini --acp`."""

    def __init__(self, model: ScriptedModel, stdin: IO[str], stdout: IO[str], cwd: Path) -> None:
        self.conversation: Conversation = model
        self._stdin = stdin
        self._messages: queue.Queue[Json] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, args=(stdout,), daemon=True).start()
        self._call("initialize", protocolVersion=1, clientCapabilities={})
        self._session = self._call("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]

    def ask(self, prompt: str) -> None:
        """Give a prompt and wait until its turn has ended."""
        self._call("session/prompt", sessionId=self._session, prompt=[{"type": "text", "text": prompt}])

    def wait_seen(self, words: str) -> None:
        """Nothing reaches this session but a prompt."""
        raise NotImplementedError

    def _call(self, method: str, **params: Any) -> Json:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._stdin.write(json.dumps(message) + "\n")
        self._stdin.flush()
        while True:
            found = self._messages.get(timeout=SECONDS)
            if found.get("id") == self._number and "method" not in found:
                assert "error" not in found, found
                return dict(found["result"])

    def _read(self, stdout: IO[str]) -> None:
        for line in stdout:
            if line.startswith("{"):
                self._messages.put(json.loads(line))
