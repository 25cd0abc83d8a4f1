"""`agentmail wire` and the real client: what it wires is run, and what the client writes it understands."""

from __future__ import annotations

import json

import pytest

from tests.hosts.rig.post import Post, notices
from tests.hosts.rig.script import text, tool
from tests.support.cli import ROOT

from .rig import Rig

pytestmark = pytest.mark.hosts


def test_wired_in_the_users_settings_a_session_is_told_and_guarded_and_unwired_it_is_not(
    claude_rig: Rig,
) -> None:
    post = Post(claude_rig)
    first = post.send()
    settings = claude_rig.settings({"cleanupPeriodDays": 20})
    before = settings.read_bytes()
    assert post.cli("wire", "claude-code", cwd=claude_rig.project).code == 0
    target = post.bus / "alpha" / "inbox" / "by-hand.md"
    run = claude_rig.run("hello", [tool("Write", file_path=str(target), content="x"), text("done")])
    assert notices(run, 0) == [[first]]
    assert "This path lies in an agentmail mailbox" in run.injected()
    assert not target.exists()
    assert [answer["exit_code"] for answer in run.hook_answers] == [0, 0, 0]
    assert post.cli("unwire", "claude-code").code == 0
    assert settings.read_bytes() == before
    run = claude_rig.run("hello", [text("done")])
    assert (notices(run), run.hook_answers) == ([], [])


def test_wired_in_a_project_only_sessions_that_start_in_it_are_told(claude_rig: Rig) -> None:
    post = Post(claude_rig)
    first = post.send()
    assert post.cli("wire", "claude-code", "--project", ".", cwd=claude_rig.project).code == 0
    assert notices(claude_rig.run("hello", [text("done")])) == [[first]]
    below = claude_rig.place("project/below")
    assert notices(claude_rig.run("hello", [text("done")], cwd=below)) == []


def test_the_plugin_as_the_client_installs_it_keeps_wire_from_doubling_it(claude_rig: Rig) -> None:
    post = Post(claude_rig)
    settings = claude_rig.config / "settings.json"
    assert post.cli("wire", "claude-code").code == 0
    hooks = json.loads(settings.read_text())["hooks"]
    assert claude_rig.plugins.add_marketplace(ROOT).returncode == 0
    assert claude_rig.plugins.install("agent-mail@agentmail").returncode == 0
    assert json.loads(settings.read_text())["hooks"] == hooks  # the client keeps them when it saves
    assert "every notice comes twice" in post.cli("doctor").out
    assert post.cli("unwire", "claude-code").code == 0
    before = settings.read_bytes()
    refused = post.cli("wire", "claude-code")
    assert (refused.code, "claude plugin uninstall agent-mail@agentmail" in refused.err) == (2, True)
    assert settings.read_bytes() == before
    assert claude_rig.plugins("disable", "agent-mail@agentmail").returncode == 0
    assert "switched off" in post.cli("wire", "claude-code").err
    assert claude_rig.plugins.uninstall("agent-mail@agentmail").returncode == 0
    assert "plugin" not in post.cli("wire", "claude-code").err
    post.send()
    assert len(notices(claude_rig.run("hello", [text("done")]))) == 1
