"""Each host in a fresh home in which `agentmail wire` alone has added our server; where the model is, the call says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.hosts.cases.claude_code import ClaudeCodeBench
from tests.hosts.cases.opencode import OpencodeBench
from tests.hosts.cases.pi import PiBench
from tests.hosts.rig.home import NOWHERE

from .hosts import Codex, Gemini, WithMail


class Wired(WithMail):
    """A bench whose host has what `wire` gave it, and nothing else."""

    #: The options of `wire` by which the host gets the tools.
    options: tuple[str, ...] = ("--mcp",)
    #: The file in which the entry is, in the home.
    file = ""

    def add(self) -> None:
        done = self.post.cli("wire", self.host, *self.options, cwd=self.project)
        assert done.code == 0, done.err

    @property
    def entry(self) -> Path:
        """The file with the entry."""
        return self.home / self.file


class WiredClaudeCode(ClaudeCodeBench, Wired):
    """`~/.claude.json`, in which the client keeps much else."""

    prefix = "mcp__agentmail__"
    file = ".claude.json"

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        found = super().environment(url, more)
        del found["CLAUDE_CONFIG_DIR"]
        return found


class WiredCodex(Wired, Codex):
    """A home without any configuration, and the sandbox of a workspace."""

    options = ()
    file = ".codex/config.toml"
    url = NOWHERE

    def prepare(self) -> None:
        (self.project / ".git").mkdir()

    def configure(self, url: str) -> None:
        self.url = url

    def command(self, prompt: str, resume: str) -> list[str]:
        provider = f'{{name="scripted",base_url="{self.url}/v1",wire_api="responses",request_max_retries=0}}'
        settings = {
            "model": '"scripted"',
            "model_provider": '"scripted"',
            "model_providers.scripted": provider,
            "analytics.enabled": "false",
            "check_for_update_on_startup": "false",
            "sandbox_workspace_write.exclude_slash_tmp": "true",
            "sandbox_workspace_write.exclude_tmpdir_env_var": "true",
        }
        given = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        options = ["--json", "--skip-git-repo-check", "--sandbox", "workspace-write"]
        return [str(self.client), *given, "exec", *options, prompt]


class WiredOpencode(OpencodeBench, Wired):
    """No configuration but ours: the provider is in a variable."""

    prefix = "agentmail_"
    file = ".config/opencode/opencode.json"
    inline = "{}"

    def configure(self, url: str) -> None:
        kept = self.entry.read_bytes() if self.entry.exists() else None
        super().configure(url)
        self.inline = self.entry.read_text()
        if kept is None:
            self.entry.unlink()
        else:
            self.entry.write_bytes(kept)

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return super().environment(url, {"OPENCODE_CONFIG_CONTENT": self.inline, **(more or {})})


class WiredGemini(Wired, Gemini):
    """With `--trust`: without, the host leaves our tools out where it cannot ask."""

    options = ("--mcp", "--trust")
    file = ".gemini/settings.json"


class WiredPi(PiBench, Wired):
    """`~/.pi/agent/mcp.json`, with the tools as the model's own."""

    prefix = "mcp__agentmail__"
    file = ".pi/agent/mcp.json"


HOSTS: tuple[type[Wired], ...] = (WiredClaudeCode, WiredCodex, WiredOpencode, WiredGemini, WiredPi)
