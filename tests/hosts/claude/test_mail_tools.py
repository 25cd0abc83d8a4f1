"""What the model itself does with the mail: a write into a mailbox is refused, the command works, a `cd` takes nothing."""

from __future__ import annotations

import shlex
import threading

import pytest

from tests.hosts.rig.post import ALWAYS, Post, notices
from tests.hosts.rig.script import bash, text, tool
from tests.support.cli import ROOT
from tests.support.reader import read_bus

from .entries import entries
from .rig import Rig

pytestmark = pytest.mark.hosts


def test_a_write_into_an_inbox_is_refused_and_the_command_that_the_refusal_names_delivers(
    claude_rig: Rig,
) -> None:
    post = Post(claude_rig)
    post.register("beta", claude_rig.place("beta's"))
    target = post.bus / "beta" / "inbox" / "20260704-0930-alpha-hello.md"
    steps = [
        tool("Write", file_path=str(target), content="a message by hand"),
        bash("echo 'a message by command' | agentmail send alpha beta hello 'a subject'"),
        bash('echo "<$AGENT_MAIL_SELF> $(agentmail check)"'),
        text("done"),
    ]
    run = claude_rig.run("hello", steps, plugins=[ROOT])
    assert run.answer == "done"
    [refusal] = [line for line in run.injected().splitlines() if "is_error" in line]
    assert "agentmail send <from> <to> <slug>" in refusal
    assert not target.exists()
    box = read_bus(post.bus)["beta"]
    [(id, message)] = box.inbox.items()
    assert message.endswith(b"\na message by command\n")
    assert f"[tool_result] {id}" in run.injected()
    assert "[tool_result] <alpha> alpha: no mail" in run.injected()


@pytest.mark.parametrize("road", ["a link", "the registry", "Edit"])
def test_a_mailbox_is_closed_to_file_tools_by_every_road(claude_rig: Rig, road: str) -> None:
    claude_rig.settings(entries())
    post = Post(claude_rig)
    (claude_rig.project / "road").symlink_to(post.bus)
    registry = post.bus / "registry.md"
    before = registry.read_bytes()
    post.send(slug="first")
    [name] = post.waiting("alpha")
    message = post.bus / "alpha" / "inbox" / name
    kept = message.read_bytes()
    steps = {
        "a link": [tool("Write", file_path=f"{claude_rig.project}/road/alpha/inbox/x.md", content="x")],
        "the registry": [
            tool("Read", file_path=str(registry)),
            tool("Write", file_path=str(registry), content="x"),
        ],
        "Edit": [
            tool("Read", file_path=str(message)),
            tool("Edit", file_path=str(message), old_string="BODY", new_string="x"),
        ],
    }[road]
    run = claude_rig.run("hello", [*steps, text("done")])
    assert run.injected().count("[tool_result is_error]") == 1
    assert "Reading is free" in run.injected()
    assert (post.waiting("alpha"), message.read_bytes(), registry.read_bytes()) == ([name], kept, before)


def test_a_write_elsewhere_is_as_free_as_without_us(claude_rig: Rig) -> None:
    claude_rig.settings(entries())
    Post(claude_rig)
    target = claude_rig.project / "inbox" / "x.md"
    run = claude_rig.run("hello", [tool("Write", file_path=str(target), content="x"), text("done")])
    assert target.read_text() == "x"
    assert "agentmail" not in run.seen()


def test_a_cd_into_anothers_workdir_takes_nobodys_mail(claude_rig: Rig) -> None:
    claude_rig.settings(entries())
    post = Post(claude_rig)
    # Below the project, because the client brings a shell back that leaves it.
    below = claude_rig.place("project/beta")
    post.register("beta", below)
    command = shlex.quote(str(ROOT / "bin" / "agentmail"))
    steps = [
        bash("cd beta"),
        text("moved"),
        bash(f'pwd; echo "<$AGENT_MAIL_SELF>"; {command} check'),
        text("done"),
    ]
    with claude_rig.session(steps, env=ALWAYS) as session:
        session.ask("go")
        betas, alphas = post.send("beta", "for-beta"), post.send("alpha", "for-alpha")
        session.ask("look")
        assert notices(session) == [[alphas]]
        [seen] = [line for line in session.injected().split("[tool_result]") if "<alpha>" in line]
        assert seen.strip().startswith(str(below))
        assert alphas in seen
        assert betas not in session.seen()
    assert post.sessions("beta") == []
    assert post.waiting("beta") == [f"{betas}.md"]


def test_the_variable_of_the_client_rules_over_the_directory_and_reaches_the_commands(
    claude_rig: Rig,
) -> None:
    claude_rig.settings(entries())
    post = Post(claude_rig)
    post.register("beta", claude_rig.place("other"))
    betas = post.send("beta", "for-beta")
    run = claude_rig.run(
        "hello", [bash('echo "<$AGENT_MAIL_SELF>"'), text("done")], env={"AGENT_MAIL_SELF": "beta"}
    )
    assert notices(run, 0) == [[betas]]
    assert "[tool_result] <beta>" in run.injected()
    assert post.sessions("alpha") == []


def test_what_a_command_has_listed_for_the_session_is_not_told_as_new(claude_rig: Rig) -> None:
    claude_rig.settings(entries())
    post = Post(claude_rig)
    arrived = threading.Event()
    command = shlex.quote(str(ROOT / "bin" / "agentmail"))
    check = bash(f'{command} check --session "$CLAUDE_CODE_SESSION_ID"')
    with claude_rig.session([{**check, "hold": arrived}, text("done")], env=ALWAYS) as session:
        session.submit("one")
        session.wait(lambda: session.main, "the request")
        first = post.send(slug="first")
        arrived.set()
        session.wait_turns(1)
        assert first in session.injected()
        session.ask("two")
        assert notices(session) == []
