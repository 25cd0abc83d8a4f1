"""A temporary home for Claude Code, with its settings and projects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.hosts.rig import home
from tests.hosts.rig.script import Json

KEY = "dummy-key-for-the-model"
#: Nobody is asked, told or updated: the client calls the scripted model and nothing else.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


class Home(home.Home):
    """HOME, the client's configuration and a first project, all below `root`."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.config.mkdir(mode=0o700, exist_ok=True)
        self.place("project")

    @property
    def config(self) -> Path:
        """The client's configuration."""
        return self.home / ".claude"

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

    def environment(self, url: str = home.NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment: of the caller's only PATH goes in; `more` wins over all."""
        own = {
            "CLAUDE_CODE_TMPDIR": str(self.scratch),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
        }
        return super().environment(url, {**own, **QUIET, **(more or {})})
