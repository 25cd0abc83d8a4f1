"""A throw-away home for the client, with its settings and projects."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.hosts.rig.script import Json

KEY = "dummy-key-for-the-model"
#: Nobody is asked, told or updated: the client calls the scripted model and nothing else.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


class Home:
    """HOME, the client's configuration and a first project, all below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.home = self.root / "home"
        self.config = self.home / ".claude"
        self.project = self.root / "project"
        self.scratch = self.root / "tmp"
        for directory in (self.config, self.scratch):
            directory.mkdir(parents=True, mode=0o700)
        self.place("project")

    def place(self, name: str) -> Path:
        """A directory of this name below root, made and trusted."""
        directory = self.root / name
        directory.mkdir(parents=True, exist_ok=True)
        self.trust(directory)
        return directory

    def worktree(self, name: str = "worktree") -> Path:
        """A git worktree of the project at this name below root, made and trusted."""
        tree = self.root / name
        if not (self.project / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
            self.git("commit", "--quiet", "--allow-empty", "--message=start")
        self.git("worktree", "add", "--quiet", "--detach", str(tree))
        self.trust(tree)
        return tree

    def git(self, *arguments: str) -> None:
        """Run git in the project, as nobody in particular."""
        who = ["-c", "user.name=rig", "-c", "user.email=rig@example.invalid"]
        subprocess.run(["git", *who, *arguments], cwd=self.project, env=self.environment(), check=True)

    def trust(self, directory: Path) -> None:
        """Answer beforehand what a first run would ask: theme, API key, trust in this folder."""
        path = self.config / ".claude.json"
        state: Json = json.loads(path.read_text()) if path.exists() else {}
        state |= {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        }
        project = state.setdefault("projects", {}).setdefault(str(directory), {})
        project |= {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        path.write_text(json.dumps(state))

    def settings(self, settings: Json) -> Path:
        """Write the user's settings.json."""
        return self._write(self.config / "settings.json", settings)

    def project_settings(self, settings: Json, project: Path | None = None, local: bool = False) -> Path:
        """Write a project's .claude/settings.json, or its settings.local.json."""
        name = "settings.local.json" if local else "settings.json"
        return self._write((project or self.project) / ".claude" / name, settings)

    def _write(self, path: Path, settings: Json) -> Path:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(settings, indent=1))
        return path

    def environment(
        self, url: str = "http://127.0.0.1:9", more: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """The client's whole environment: of the caller's only PATH goes in; `more` wins over all."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "XDG_RUNTIME_DIR": str(self.scratch),
            "CLAUDE_CODE_TMPDIR": str(self.scratch),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **QUIET,
            **(more or {}),
        }
