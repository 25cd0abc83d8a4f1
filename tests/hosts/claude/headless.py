"""One run of the client without a terminal: `claude -p PROMPT`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.script import Json, Step

from .homes import Home

REPORT = ["--output-format=stream-json", "--verbose", "--include-hook-events"]
PERMISSIONS = {"bypass": ["--dangerously-skip-permissions"], "default": []}


class RunOptions(TypedDict, total=False):
    """How to run; see run_headless."""

    arguments: Sequence[str]
    resume: str
    plugins: Iterable[Path]
    cwd: Path
    env: Mapping[str, str]
    mode: str
    seconds: float


class Run(Conversation):
    """What one run printed, and what reached the model meanwhile."""

    def __init__(self, process: subprocess.CompletedProcess[str], model: ScriptedModel) -> None:
        super().__init__(model.requests)
        self.code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        lines = [line for line in process.stdout.splitlines() if line.startswith("{")]
        self.events: list[Json] = [json.loads(line) for line in lines]

    @property
    def session_id(self) -> str:
        """The session of the run; the last event's, as with --continue the first carry another."""
        return str(next(event["session_id"] for event in reversed(self.events) if event.get("session_id")))

    @property
    def hook_answers(self) -> list[Json]:
        """How every hook ended: exit_code, stdout, stderr, outcome."""
        return [event for event in self.events if event.get("subtype") == "hook_response"]

    @property
    def shown(self) -> list[str]:
        """What the user was told beside the answer (systemMessage of hooks)."""
        return [str(event["content"]) for event in self.events if event.get("subtype") == "informational"]

    @property
    def answer(self) -> str:
        """The last answer, as printed for the user."""
        results = [event for event in self.events if event["type"] == "result"]
        return str(results[-1].get("result", "")) if results else ""


def run_headless(
    client: Path,
    home: Home,
    prompt: str,
    steps: Iterable[Step] = (),
    *,
    arguments: Sequence[str] = (),
    resume: str | None = None,
    plugins: Iterable[Path] = (),
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    mode: str = "bypass",
    seconds: float = 60,
) -> Run:
    """Ask once and wait for the end; `mode` is bypass, default, or one of --permission-mode."""
    command = [str(client), "-p", prompt, *REPORT]
    command += PERMISSIONS.get(mode, ["--permission-mode", mode])
    command += ["--resume", resume] if resume else []
    command += [f"--plugin-dir={directory}" for directory in plugins]
    command += arguments
    # IS_SANDBOX: without it the client refuses to bypass permissions for root, as in a container.
    more = {"IS_SANDBOX": "1", **(env or {})}
    with ScriptedModel(steps) as model:
        process = subprocess.run(
            command,
            cwd=cwd or home.project,
            env=home.environment(model.url, more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        return Run(process, model)
