"""A home with wired hooks: its settings, its bus, and the command line called in this process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agentmail.core.environment import Environment
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from tests.support.cli import ROOT, Ran
from tests.support.in_process import run_with

HOOKS = ROOT / "hooks"
EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse"]
NOTES = {".settings.json.agentmail", ".settings.json.before-agentmail"}


class Home:
    """HOME, the host's settings in it, and a project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.config = self.home / ".claude"
        self.settings = self.config / "settings.json"
        self.bus = self.home / ".agents" / "mail"
        self.project = root / "project"
        self.project_settings = self.project / ".claude" / "settings.json"
        for directory in (self.home, self.project):
            directory.mkdir(parents=True)

    def put(self, data: bytes | str | dict[str, Any], path: Path | None = None) -> Path:
        """Write the user's settings, or others, as somebody did long ago."""
        path = path or self.settings
        path.parent.mkdir(exist_ok=True)
        if isinstance(data, dict):
            data = json.dumps(data, indent=2)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        return path

    def load(self, path: Path | None = None) -> Any:
        """The settings as data."""
        return json.loads((path or self.settings).read_bytes())

    def commands(self, path: Path | None = None) -> list[tuple[str, str]]:
        """Every hook in the settings: its event and its command, in order."""
        hooks = self.load(path).get("hooks", {})
        return [
            (event, one["command"]) for event in hooks for group in hooks[event] for one in group["hooks"]
        ]

    def __call__(
        self, *words: str, cwd: Path | None = None, disk: Disk | None = None, **variables: str | None
    ) -> Ran:
        """Run a command to its exit code. A BaseException, such as a simulated crash, passes through."""
        known = {"HOME": str(self.home), "PATH": os.environ.get("PATH", os.defpath), **variables}
        words = for_claude_code(words)
        environment = Environment(
            {name: value for name, value in known.items() if value is not None}, str(cwd or self.project)
        )
        bus = Bus(environment.bus_path(), disk) if disk is not None else None
        return run_with(words, environment, bus)

    def wire(self, *words: str, **how: Any) -> Ran:
        """Wire, which has to succeed."""
        ran = self("wire", *words, **how)
        assert ran.code == 0, ran
        return ran

    def unwire(self, *words: str, **how: Any) -> Ran:
        """Unwire, which has to succeed."""
        ran = self("unwire", *words, **how)
        assert ran.code == 0, ran
        return ran


def for_claude_code(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a call; `wire` and `unwire` name the host whose settings these are."""
    return (words[0], "claude-code", *words[1:]) if words[0] in ("wire", "unwire") else words


def hook(command: str, **fields: Any) -> dict[str, Any]:
    """A hook as it stands in settings."""
    return {"type": "command", "command": command, **fields}


def group(*commands: str, **fields: Any) -> dict[str, Any]:
    """A group of hooks as it stands in settings."""
    return {**fields, "hooks": [hook(command) for command in commands]}
