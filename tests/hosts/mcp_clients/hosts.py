"""Each host with our server added as its user would add it, and how its model spells the name of a tool."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tests.hosts.cases.bench import Bench, Live, Run
from tests.hosts.cases.claude_code import ClaudeCodeBench
from tests.hosts.cases.opencode import OpencodeBench
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.script import Step
from tests.support.cli import ROOT

SERVER = [str(ROOT / "bin" / "agentmail"), "mcp"]


class WithMail(Bench):
    """A bench whose host has the server `agentmail`; its model calls tools by `mail`."""

    #: What stands before the name of a tool.
    prefix = ""
    #: The names of the host in what is recorded.
    recorded: tuple[str, ...] = ()

    def add(self) -> None:
        """Add the server with the host's own command."""

    def mail(self, verb: str, **arguments: Any) -> Step:
        """A call of a tool of ours."""
        return Step(tool=f"{self.prefix}mail_{verb}", input=arguments)

    def host_command(self, *words: str) -> None:
        """Run a command of the host that ends by itself."""
        done = subprocess.run(
            [str(self.client), *words],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> AbstractContextManager[Live]:
        """Not of use here."""
        raise NotImplementedError

    def run_with_mail(self, *steps: Step) -> Run:
        """One prompt, in the turn of which the model takes these steps."""
        return self.run("go", [*steps, Step(text="done")])


class ClaudeCode(ClaudeCodeBench, WithMail):
    """`claude mcp add`."""

    prefix = "mcp__agentmail__"
    recorded = ("claude-code",)

    def add(self) -> None:
        self.host_command("mcp", "add", "--scope", "user", "agentmail", "--", *SERVER)


class Opencode(OpencodeBench, WithMail):
    """An entry in opencode.json: its own command asks questions."""

    prefix = "agentmail_"
    recorded = ("opencode",)

    def configure(self, url: str) -> None:
        super().configure(url)
        path = self.config / "opencode.json"
        entry = {"agentmail": {"type": "local", "command": SERVER, "enabled": True}}
        path.write_text(json.dumps({**json.loads(path.read_text()), "mcp": entry}))


class Codex(WithMail):
    """`codex mcp add`, and a sandbox out of which a command cannot write into the bus."""

    host = "codex"
    prefix = ""
    recorded = ("codex",)

    def prepare(self) -> None:
        (self.home / ".codex").mkdir()
        (self.project / ".git").mkdir()

    def configure(self, url: str) -> None:
        path = self.home / ".codex" / "config.toml"
        path.write_text(
            f"""
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
"""
        )
        self.host_command("mcp", "add", "agentmail", "--", *SERVER)

    def command(self, prompt: str, resume: str) -> list[str]:
        return [str(self.client), "exec", "--json", "--skip-git-repo-check", prompt]

    def mail(self, verb: str, **arguments: Any) -> Step:
        return Step(tool=f"mail_{verb}", namespace="mcp__agentmail", input=arguments)

    def shell(self, command: str) -> Step:
        return Step(tool="exec_command", input={"cmd": command})


class Gemini(WithMail):
    """`gemini mcp add`."""

    host = "gemini"
    prefix = "mcp_agentmail_"
    recorded = ("gemini",)

    def prepare(self) -> None:
        folder = self.home / ".gemini"
        folder.mkdir()
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
            "telemetry": {"enabled": False},
        }
        (folder / "settings.json").write_text(json.dumps(settings))

    def add(self) -> None:
        # --trust: without it, the host leaves our tools out where nobody can be asked, whatever they say of themselves.
        self.host_command("mcp", "add", "--scope", "user", "--trust", "agentmail", *SERVER)

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        quiet = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
        }
        return super().environment(url, {**quiet, **(more or {})})

    def command(self, prompt: str, resume: str) -> list[str]:
        options = ["--approval-mode", "default", "-m", "gemini-2.5-flash", "--output-format", "stream-json"]
        return [str(self.client), *options, "-p", prompt]


HOSTS: tuple[type[WithMail], ...] = (ClaudeCode, Codex, Opencode, Gemini)
