"""An idle session is woken by mail from another process, without anyone typing."""

from __future__ import annotations

import pytest

from tests.hosts.rig.post import ALWAYS, Post
from tests.hosts.rig.script import bash, text
from tests.hosts.rig.watches import AVAILABLE

from .entries import entries
from .rig import Rig

pytestmark = [
    pytest.mark.hosts,
    pytest.mark.skipif(not AVAILABLE, reason="only Linux tells what a process watches"),
]


def told(seen: str, id: str) -> int:
    """How often a request's text names an id within a wake."""
    return sum(id in part for part in seen.split('blocking error from command "FileChanged"')[1:])


def test_an_idle_session_is_woken_once_and_again_after_a_cd(claude_rig: Rig) -> None:
    claude_rig.settings(entries("hooks.json", "hooks/wake.json"))
    post = Post(claude_rig)
    claude_rig.place("project/sub")
    inbox = post.bus / "alpha" / "inbox"
    with claude_rig.session(
        [text("woken"), bash("cd sub"), text("moved"), text("woken again")], env=ALWAYS
    ) as session:
        watch = session.wait_watching(inbox)
        first = post.send(slug="first")
        session.wait_seen(first, seconds=10)
        session.wait_turns(1)
        assert told(session.received(), first) == 1
        session.ask("go on")
        session.wait(lambda: session.watches(inbox) - watch, "a new watch")
        second = post.send(slug="second")
        session.wait_seen(second, seconds=10)
        session.wait_turns(3)
        assert (told(session.received(), first), told(session.received(), second)) == (1, 1)
        assert "UserPromptSubmit hook additional context" not in session.received()
        assert len(session.main) == 4
        assert "BODY-OF-A-SENDER" not in session.seen()


def test_of_many_messages_at_once_each_is_told_once(claude_rig: Rig) -> None:
    claude_rig.settings(entries("hooks.json", "hooks/wake.json"))
    post = Post(claude_rig)
    with claude_rig.session(env=ALWAYS) as session:
        session.wait_watching(post.bus / "alpha" / "inbox")
        ids = [post.send(slug=f"number-{number}") for number in range(3)]
        for id in ids:
            session.wait_seen(id)
        session.wait(session.idle, "the end of the turn")
        assert [told(session.received(), id) for id in ids] == [1, 1, 1]


def test_wake_entries_do_not_hold_a_run_without_a_terminal(claude_rig: Rig) -> None:
    claude_rig.settings(entries("hooks.json", "hooks/wake.json"))
    post = Post(claude_rig)
    first = post.send()
    run = claude_rig.run("hello", seconds=30)
    assert first in run.injected()
    assert run.answer == "ok"
