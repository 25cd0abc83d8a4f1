"""A session of Claude Code on a pseudo-terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from tests.hosts.rig.model import ScriptedModel
from tests.hosts.rig.on_terminal import OnTerminal
from tests.hosts.rig.script import Step

from .homes import Home

IDLE = "\u2733"  # the window's title begins with it while nothing runs, with another sign during a turn
PROMPT = "\u276f"
TOOLS = "Bash,Monitor,ToolSearch,Write,Edit"


class SessionOptions(TypedDict, total=False):
    """How to start a session; see Session."""

    arguments: Sequence[str]
    plugins: Iterable[Path]
    cwd: Path
    env: Mapping[str, str]
    mode: str
    allow: str


class Session(OnTerminal):
    """An interactive client and its conversation; it runs within `with`."""

    def __init__(
        self,
        client: Path,
        home: Home,
        steps: Iterable[Step] = (),
        *,
        arguments: Sequence[str] = (),
        plugins: Iterable[Path] = (),
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        mode: str = "acceptEdits",  # to bypass permissions, the client asks a question on the screen first
        allow: str = TOOLS,
    ) -> None:
        model = ScriptedModel(steps)
        command = [str(client), "--permission-mode", mode, f"--allowedTools={allow}"]
        command += [f"--plugin-dir={directory}" for directory in plugins]
        command += arguments
        super().__init__(model, command, cwd=cwd or home.project, env=home.environment(model.url, env))

    def ready(self) -> None:
        """Wait until the client takes input."""
        self.wait(lambda: self.idle() and PROMPT in self.screen(), "the prompt")

    def idle(self) -> bool:
        """No turn is running."""
        return any(title.startswith(IDLE) for title in self.terminal.titles[-1:])

    @property
    def turns(self) -> int:
        """How many turns have ended, those of a woken session and compactions too."""
        signs = [title.startswith(IDLE) for title in self.terminal.titles]
        return sum(not before and after for before, after in itertools.pairwise(signs))

    def wait_turns(self, number: int, seconds: float = 30) -> None:
        """Wait until so many turns have ended since the start."""
        self.wait(lambda: self.turns >= number, f"the end of turn {number}", seconds)

    def ask(self, words: str, seconds: float = 30) -> None:
        """Submit a prompt once the session is idle, and wait until its turn has ended."""
        self.wait(self.idle, "the turn before to end", seconds)
        turns = self.turns
        self.submit(words)
        self.wait_turns(turns + 1, seconds)
