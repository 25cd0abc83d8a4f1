"""The repository as a plugin of the real client."""

from __future__ import annotations

import pytest

from tests.hosts.rig.post import Post, notices
from tests.hosts.rig.script import bash, text
from tests.support.cli import ROOT

from .rig import Rig

pytestmark = pytest.mark.hosts


def test_the_client_finds_nothing_to_complain_about(claude_rig: Rig) -> None:
    done = claude_rig.plugins.validate(ROOT, "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("mail-check", "mail-guard", "agent-mail:agent-mail", "bin: agentmail"):
        assert part in done.stdout


def test_installed_from_the_repository_it_tells_guards_and_brings_the_command_and_the_skill(
    claude_rig: Rig,
) -> None:
    added = claude_rig.plugins.add_marketplace(ROOT)
    assert added.returncode == 0, added.stdout + added.stderr
    installed = claude_rig.plugins.install("agent-mail@agentmail")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    post = Post(claude_rig)
    first = post.send()
    run = claude_rig.run("hello", [bash(f"agentmail archive {first}"), text("done")])
    assert notices(run, 0) == [[first]]
    assert f"[tool_result] archived {first}" in run.injected()
    assert post.waiting("alpha") == []
    assert "agent-mail:agent-mail" in run.received()


def test_where_nobody_has_a_mailbox_the_plugin_says_nothing_and_makes_nothing(claude_rig: Rig) -> None:
    run = claude_rig.run("hello", [text("done")], plugins=[ROOT])
    assert [answer["stdout"] + answer["stderr"] for answer in run.hook_answers] == ["", ""]
    assert not (claude_rig.home / ".agents").exists()
