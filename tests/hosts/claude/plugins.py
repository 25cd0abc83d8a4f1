"""The client's own commands for plugins: validate, add a marketplace, install."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from .homes import Home


class Plugins:
    """Runs `claude plugin ...` in the rig's home; a refusal is an answer, not an error."""

    def __init__(self, client: Path, home: Home) -> None:
        self._client = client
        self._home = home

    def __call__(
        self, *arguments: str, env: Mapping[str, str] | None = None, seconds: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """`claude plugin ARGUMENTS`."""
        return subprocess.run(
            [str(self._client), "plugin", *arguments],
            cwd=self._home.project,
            env=self._home.environment(more=env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def validate(self, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """`claude plugin validate DIRECTORY`."""
        return self("validate", *options, str(directory))

    def add_marketplace(self, source: Path | str) -> subprocess.CompletedProcess[str]:
        """`claude plugin marketplace add SOURCE`."""
        return self("marketplace", "add", str(source))

    def install(self, plugin: str) -> subprocess.CompletedProcess[str]:
        """`claude plugin install NAME@MARKETPLACE`."""
        return self("install", plugin)

    def uninstall(self, plugin: str) -> subprocess.CompletedProcess[str]:
        """`claude plugin uninstall NAME@MARKETPLACE`."""
        return self("uninstall", plugin)
