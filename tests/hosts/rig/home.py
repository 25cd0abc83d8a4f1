"""A throw-away home for a client, with its projects."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

NOWHERE = "http://127.0.0.1:9"


class Home:
    """HOME and a first project, both below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.home = self.root / "home"
        self.project = self.root / "project"
        self.scratch = self.root / "tmp"
        for directory in (self.home, self.scratch):
            directory.mkdir(parents=True, mode=0o700, exist_ok=True)  # clients may share a home

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
        """Answer beforehand whether the client may trust this directory, where it asks."""

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment, with its model at `url`: of the caller's only PATH goes in; `more` wins."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "XDG_RUNTIME_DIR": str(self.scratch),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **(more or {}),
        }
