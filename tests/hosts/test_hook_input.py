"""For any input a hook exits with 0 within the time limit; for invalid input it prints nothing and changes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.hooks import PROMPT, START

MIB = 1 << 20
#: What is no input at all, for any hook.
NOT_INPUT = {
    "nothing": b"",
    "a blank": b" \n",
    "null": b"null",
    "a list": b"[]",
    "a text": b'"x"',
    "a number": b"1",
    "an open brace": b"{",
    "NaN": b"NaN",
    "half an object": b'{"hook_event_name": "SessionStart", "session_id": "s',
    "an object and more": b'{"hook_event_name": "SessionStart"} {}',
    "an object with NaN": b'{"hook_event_name": "SessionStart", "x": NaN}',
    "a number of 5,000 digits": b'{"hook_event_name": "SessionStart", "x": ' + b"9" * 5000 + b"}",
    "a raw control byte": b'{"hook_event_name": "Session\x01Start"}',
    "lists 100,000 deep": b"[" * 100_000,
    "an object with lists 100,000 deep": b'{"hook_event_name": "SessionStart", "x": '
    + b"[" * 100_000
    + b"]" * 100_000
    + b"}",
    "objects 100,000 deep": b'{"x":' * 100_000,
    "50 MB": b'{"hook_event_name": "SessionStart", "x": "' + b"x" * (50 * MIB) + b'"}',
    "bytes that are not text": bytes(range(256)) * 16,
    "UTF-16": '{"hook_event_name": "SessionStart"}'.encode("utf-16"),
}
#: Objects that are not the event's.
NOT_THE_EVENT: dict[str, dict[str, Any]] = {
    "an empty object": {},
    "no event": {"hook_event_name": None},
    "another event": {"hook_event_name": "Stop"},
    "an event that is a number": {"hook_event_name": 1},
    "an event that is a list": {"hook_event_name": [START]},
    "a subagent's": {"agent_id": "a1"},
    "a subagent's with a number": {"agent_id": 7},
}


@pytest.fixture
def untouched(bed, tree):
    """Mail waits; at the end everything is as it was."""
    bed.put("20260704-0930-beta-x")
    before = tree(bed.root)
    yield
    assert tree(bed.root) == before


@pytest.mark.parametrize("what", NOT_INPUT)
def test_invalid_input_gets_no_answer(bed, untouched, what):
    for program, *arguments in (["mail-check", START], ["mail-wake", "FileChanged"], ["mail-guard"]):
        done = bed.run(bed.command(program, *arguments), NOT_INPUT[what])
        assert (done.code, done.out) == (0, ""), program
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("what", NOT_THE_EVENT)
def test_another_event_gets_no_answer(bed, untouched, what):
    fields = NOT_THE_EVENT[what]
    assert bed.start(stdin=bed.payload(START, **fields) if fields else {}) == ""
    assert bed.prompt(stdin=bed.payload(PROMPT, **fields) if fields else {}) == ""


def test_an_event_that_the_command_does_not_name_gets_no_answer(bed, untouched):
    for event in ("", "Stop", "sessionstart"):
        done = bed.check(event, stdin=bed.payload(event or START))
        assert (done.out, done.err) == ("", "")


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"])
def test_closed_and_broken_streams_do_not_stop_the_host(bed, redirection):
    bed.put("20260704-0930-beta-x")
    for event in (START, PROMPT):
        command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *bed.command("mail-check", event)]
        done = bed.run(command, bed.payload(event))
        assert done.code == 0
        assert b"Traceback" not in done.stderr
    assert bed.inbox().joinpath("20260704-0930-beta-x.md").read_bytes().endswith(b"BODY-OF-A-SENDER\n")


@pytest.mark.parametrize("event", [pytest.param(START, marks=pytest.mark.slow), PROMPT])
def test_input_that_never_ends_is_abandoned_at_the_deadline_and_the_bus_is_not_blamed(bed, untouched, event):
    command = bed.command("mail-check", event)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bed.environment(), cwd=bed.work
    ) as hook:
        assert hook.wait(30) == 0
        assert hook.stdout is not None
        said = hook.stdout.read()
        assert b"the host did not end the input of the hook within 2 s; whether mail waits" in said
        assert b"bus" not in said


@pytest.mark.parametrize("cwd", [None, 7, "", "relative", "/nowhere/at/all", "\ud800", "a\0b", ["/"]])
def test_a_session_without_a_usable_directory_has_no_identity(bed, untouched, cwd):
    bed.variables = {"CLAUDE_PROJECT_DIR": None, "CLAUDE_CODE_SESSION_ID": None, "AGENT_MAIL_MACHINE": "m1"}
    for event in (START, PROMPT):
        fields = bed.payload(event) | {"cwd": cwd}
        done = bed.check(event, stdin=json.dumps({k: v for k, v in fields.items() if v is not None}).encode())
        assert done.out == ""
        assert b"Traceback" not in done.stderr


def test_a_current_directory_that_was_removed_does_not_matter(bed):
    bed.put("20260704-0930-beta-x")
    gone = bed.root / "gone"
    gone.mkdir()
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *bed.command("mail-check", START)]
    done = bed.run(command, bed.payload(START), cwd=gone)
    assert done.code == 0
    assert "1 message waits for alpha" in done.out


@pytest.mark.parametrize("session", [None, 7, "", "../../x", "a/b", "-x", "x" * 65, "a\nb", ".."])
def test_a_session_with_an_invalid_id_gets_notices_and_nothing_is_recorded(bed, session):
    bed.put("20260704-0930-beta-x")
    bed.variables = {
        "CLAUDE_CODE_SESSION_ID": session if isinstance(session, str) and "\0" not in session else None
    }
    for event in (START, PROMPT, PROMPT):
        done = bed.check(event, stdin=bed.payload(event) | {"session_id": session})
        assert "20260704-0930-beta-x" in done.out
    assert not bed.states.exists()
    assert not (bed.bus / "alpha" / "sessions").exists()


def test_stdout_holds_only_the_one_object_even_when_python_variables_ask_for_more(bed):
    bed.put("20260704-0930-beta-x")
    python = f"{sys.executable}"
    done = subprocess.run(
        [*bed.command("mail-check", START, python=python)],
        input=json.dumps(bed.payload(START)),
        env=bed.environment(
            PYTHONVERBOSE="1", PYTHONSTARTUP="/nowhere", PYTHONPATH="/nowhere", PYTHONHOME="/nowhere"
        ),
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == START
