"""What our hooks rely on in the client, seen in interactive sessions."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.hosts.rig.script import bash, text
from tests.hosts.rig.watches import AVAILABLE

from .probes import hooks
from .rig import Rig

pytestmark = pytest.mark.hosts
needs_watches = pytest.mark.skipif(not AVAILABLE, reason="only Linux tells what a process watches")


def deliver(box: Path, name: str) -> None:
    """A file appears in the box whole, as mail does."""
    staged = box.parent / name
    staged.write_text("x")
    os.rename(staged, box / name)


def wake_settings(rig: Rig, box: Path) -> None:
    """Hooks that watch the box and wake the session when something is delivered."""
    watch = rig.probe("--watch", str(box))
    rouse = rig.probe("--err", "mail has come", "--exit", "2", asyncRewake=True)
    rig.settings(hooks(SessionStart=watch, CwdChanged=watch, FileChanged=rouse, UserPromptSubmit=rig.probe()))


def test_clear_and_compact_start_the_session_anew_and_the_words_stand_in_the_new_context(
    claude_rig: Rig,
) -> None:
    claude_rig.settings(hooks(SessionStart=claude_rig.probe("--context", "one waits")))
    wanted = "SessionStart hook additional context: one waits"
    with claude_rig.session([text("done")]) as session:
        session.ask("hello")
        session.submit("/clear")
        session.wait(lambda: claude_rig.probe.sources() == ["startup", "clear"], "the hook after /clear")
        session.ask("again")
        assert "hello" not in session.injected()
        assert wanted in session.injected()
        session.submit("/compact")
        session.wait(lambda: claude_rig.probe.sources()[2:] == ["compact"], "the hook after /compact")
        session.ask("and on")
        assert wanted in session.injected()
    startup, clear, compact = (call["stdin"]["session_id"] for call in claude_rig.probe.calls())
    assert startup != clear == compact


@needs_watches
def test_a_file_delivered_to_a_watched_directory_wakes_a_session_that_was_never_asked(
    claude_rig: Rig,
) -> None:
    box = claude_rig.place("box")
    wake_settings(claude_rig, box)
    with claude_rig.session() as session:
        session.wait_watching(box)
        deliver(box, "m1")
        session.wait_seen('hook blocking error from command "FileChanged": mail has come')
        session.wait_turns(1)
    [call] = claude_rig.probe.calls("FileChanged")
    assert (call["stdin"]["event"], call["stdin"]["file_path"]) == ("add", str(box / "m1"))
    [turn] = claude_rig.probe.calls("UserPromptSubmit")
    assert turn["stdin"]["prompt"].startswith("<task-notification>")


@needs_watches
def test_cd_drops_the_watch_and_the_answer_to_cwd_changed_brings_it_back(claude_rig: Rig) -> None:
    box = claude_rig.place("box")
    claude_rig.place("project/sub")
    wake_settings(claude_rig, box)
    with claude_rig.session([bash("cd sub"), text("moved")]) as session:
        first = session.wait_watching(box)
        session.ask("go")
        session.wait(lambda: session.watches(box) - first, "a new watch")
        deliver(box, "m1")
        session.wait_seen("mail has come")
    assert len(claude_rig.probe.calls("CwdChanged")) == 1


@needs_watches
def test_mail_that_comes_during_a_turn_is_told_in_that_turn(claude_rig: Rig) -> None:
    box = claude_rig.place("box")
    wake_settings(claude_rig, box)
    told = threading.Event()
    with claude_rig.session([{**bash("true"), "hold": told}, text("done")]) as session:
        session.wait_watching(box)
        session.submit("work")
        session.wait(lambda: session.main, "the request")
        deliver(box, "m1")
        session.wait(lambda: claude_rig.probe.calls("FileChanged"), "the hook")
        told.set()
        session.wait_turns(1)
        assert len(session.main) == 2
        assert "mail has come" in session.injected()


def test_a_prompt_is_typed_as_it_stands_however_long_it_is(claude_rig: Rig) -> None:
    claude_rig.settings(hooks(UserPromptSubmit=claude_rig.probe()))
    prompt = 'it\'s a "long" one: ' + "and on " * 40 + "\u00fc\u6f22 end"
    with claude_rig.session([text("done")], cwd=claude_rig.place('a "b" c\'s')) as session:
        session.ask(prompt)
        session.wait(lambda: "done" in session.screen(), "the answer on the screen")
    assert [call["stdin"]["prompt"] for call in claude_rig.probe.calls()] == [prompt]


def test_closing_a_session_ends_the_client(claude_rig: Rig) -> None:
    with claude_rig.session() as session:
        assert session.process.poll() is None
    assert session.process.poll() is not None
