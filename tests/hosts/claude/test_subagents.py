"""What a subagent is to the mail, and what the client itself can refuse: the documents say both."""

from __future__ import annotations

import shlex

import pytest

from tests.hosts.rig.post import Post
from tests.hosts.rig.script import Step, bash, text, tool
from tests.support.cli import ROOT

from .entries import entries
from .rig import Rig

pytestmark = pytest.mark.hosts

COMMAND = shlex.quote(str(ROOT / "bin" / "agentmail"))


def of_a_subagent(*steps: Step) -> list[Step]:
    """The steps of a session that gives a task to a subagent, which takes these."""
    start = tool("Agent", description="a task", prompt="SUB-TASK", subagent_type="general-purpose")
    sub: list[Step] = [{**step, "about": "SUB-TASK"} for step in (*steps, text("sub done"))]
    return [start, *sub, text("done")]


def test_no_variable_tells_the_shell_of_a_subagent_from_that_of_its_session(claude_rig: Rig) -> None:
    """If this fails, the client names the subagent: then its commands should record for it and not for the session."""
    files = [claude_rig.root / name for name in ("session", "subagent")]
    show = [bash(f"env | grep -v ^OLDPWD= | sort >{shlex.quote(str(file))}") for file in files]
    claude_rig.run("hello", [show[0], *of_a_subagent(show[1])])
    session, subagent = (file.read_text() for file in files)
    assert session == subagent
    assert "CLAUDE_CODE_SESSION_ID=" in session


def test_a_command_of_a_subagent_records_for_its_session_or_for_the_session_that_it_names(
    claude_rig: Rig,
) -> None:
    claude_rig.settings(entries())
    post = Post(claude_rig)
    sent = post.send()
    run = claude_rig.run("hello", of_a_subagent(bash(f"{COMMAND} read alpha {sent}")))
    assert post.sessions("alpha") == [run.session_id]
    claude_rig.run("again", of_a_subagent(bash(f"AGENT_MAIL_SESSION=helper-1 {COMMAND} read alpha {sent}")))
    assert "helper-1" in post.sessions("alpha")


def test_a_rule_of_the_client_itself_keeps_its_file_tools_out_of_the_bus_without_any_hook(
    claude_rig: Rig,
) -> None:
    claude_rig.settings({"permissions": {"deny": ["Edit(~/.agents/mail/**)"]}})
    post = Post(claude_rig)
    target = post.bus / "alpha" / "inbox" / "20260704-0930-alpha-hello.md"
    steps = [
        tool("Write", file_path=str(target), content="by hand"),
        bash(f"echo text | {COMMAND} send alpha alpha hello"),
        text("done"),
    ]
    run = claude_rig.run("hello", steps)
    assert run.injected().count("[tool_result is_error]") == 1
    assert not target.exists()
    assert len(post.waiting("alpha")) == 1
