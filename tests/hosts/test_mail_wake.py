"""A message wakes an idle session: each message once, many at the same time once, and never repeatedly."""

from __future__ import annotations

import fcntl
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agentmail.hosts.runtime.wake import PATIENCE_SECONDS
from tests.support.cli import Ran
from tests.support.hooks import POWERLESS, Bed, ids_in, needs_modes

FIRST, SECOND = "20260704-0930-beta-first", "20260704-0930-beta-second"


def fire(bed: Bed, event: str, /, powerless: bool = False, **fields: Any) -> Ran:
    command = [*(POWERLESS if powerless else []), *bed.command("mail-wake", event)]
    return bed.run(command, bed.payload(event, **fields))


def added(bed: Bed, name: str = FIRST, **how: Any) -> Ran:
    """The host says that a file has appeared."""
    return fire(bed, "FileChanged", event="add", file_path=f"{bed.inbox()}/{name}.md", **how)


@pytest.mark.parametrize("event", ["SessionStart", "CwdChanged"])
def test_the_inbox_is_watched_from_the_start_and_after_every_cd(bed, event):
    bed.inbox().rmdir()
    done = fire(bed, event)
    assert done.code == 0
    assert done.json == {"hookSpecificOutput": {"hookEventName": event, "watchPaths": [str(bed.inbox())]}}
    assert bed.inbox().is_dir()


def test_the_session_fact_of_a_start_records_that_the_session_can_be_woken(bed):
    bed.put(FIRST)
    fire(bed, "SessionStart")
    assert [fact["wake"] for fact in bed.receipts("session")] == [True]
    assert bed.receipts() == []


def test_a_message_wakes_once(bed):
    fire(bed, "SessionStart")
    bed.put(FIRST)
    done = added(bed)
    assert (done.code, done.out) == (2, "")
    assert ids_in(done.err.rstrip("\n")) == [FIRST]
    assert (added(bed).code, bed.prompt()) == (0, "")
    bed.put(SECOND)
    done = added(bed, SECOND)
    assert (done.code, ids_in(done.err.rstrip("\n"))) == (2, [SECOND])


def test_a_notice_to_the_null_device_was_shown_to_nobody(bed):
    fire(bed, "SessionStart")
    bed.put(FIRST)
    command = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", *bed.command("mail-wake", "FileChanged")]
    assert bed.run(command, bed.payload("FileChanged", event="add")).code == 0
    assert bed.receipts() == []
    assert added(bed).code == 2


def test_many_messages_at_once_wake_once(bed):
    bed.start()
    names = [f"20260704-0930-beta-{number}" for number in range(8)]
    for name in names:
        bed.put(name)
    hooks = []
    for _ in names:
        hook = subprocess.Popen(
            bed.command("mail-wake", "FileChanged"),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=bed.environment(),
        )
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(bed.payload("FileChanged", event="add")).encode())
        hook.stdin.close()
        hook.stdin = None
        hooks.append(hook)
    said = [hook.communicate(timeout=30)[1].decode() for hook in hooks]
    assert sorted(hook.returncode for hook in hooks) == [0] * 7 + [2]
    assert [ids_in(text.rstrip("\n")) for text in said if text] == [names]


def test_on_lock_timeout_a_wake_continues_unlocked(bed):
    bed.start()
    bed.put(FIRST)
    with bed.record().open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        before = time.monotonic()
        assert added(bed).code == 2
        assert time.monotonic() - before > PATIENCE_SECONDS


def test_a_message_that_a_prompt_has_reported_does_not_wake(bed):
    bed.start()
    bed.put(FIRST)
    bed.variables["AGENT_MAIL_CHECK_INTERVAL"] = "0"
    assert ids_in(bed.prompt()) == [FIRST]
    assert added(bed).code == 0


@pytest.mark.parametrize("fields", [{"event": "unlink"}, {"event": "change"}, {"event": 7}, {"event": None}])
def test_an_event_other_than_an_arrival_does_not_wake(bed, fields):
    bed.put(FIRST)
    assert fire(bed, "FileChanged", **fields).code == 0


@pytest.mark.parametrize(
    "fields", [{"agent_id": "a1"}, {"hook_event_name": "Stop"}, {"session_id": None}, {"session_id": "../x"}]
)
def test_a_session_without_a_record_is_not_woken_repeatedly(bed, fields):
    bed.put(FIRST)
    bed.variables["CLAUDE_CODE_SESSION_ID"] = None
    assert added(bed, **fields).code == 0


@needs_modes
def test_a_record_that_cannot_be_written_does_not_wake_repeatedly(bed):
    bed.start()
    bed.put(FIRST)
    bed.record().chmod(0o400)
    assert added(bed, powerless=True).code == 0


@pytest.mark.parametrize("event", ["SessionStart", "CwdChanged", "FileChanged"])
def test_a_session_without_an_identity_is_not_watched_or_woken(bed, tree, event):
    bed.variables = {"CLAUDE_PROJECT_DIR": "/", "AGENT_MAIL_MACHINE": "m1"}
    before = tree(bed.bus)
    done = fire(bed, event, event="add", cwd="/")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert tree(bed.bus) == before


def test_a_mailbox_that_cannot_be_read_does_not_wake(bed):
    bed.start()
    bed.inbox().rmdir()
    Path(bed.inbox()).touch()
    for event in ("SessionStart", "CwdChanged", "FileChanged"):
        done = fire(bed, event, event="add")
        assert (done.code, done.out) == (0, "")
        assert "Traceback" not in done.err
