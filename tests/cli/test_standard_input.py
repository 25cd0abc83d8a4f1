"""Standard input is never ignored where it carries a text, never waited for in silence, and never missed in silence."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from agentmail.verbs.catalogue import VERBS
from tests.support.cli import Cli, Ran, run_process
from tests.support.reader import header_and_body, read_box
from tests.support.trees import tree

TEXT = b"the WHOLE text\n"
#: Calls that would do something, of the commands that take no text.
CALLS = {
    "register": "register gamma - counts",
    "check": "check beta",
    "read": "read beta {id}",
    "archive": "archive beta {id}",
    "unarchive": "unarchive beta {id}",
    "prune": "prune beta 1",
    "ack": "ack beta {id} --session s1",
    "wait": "wait beta --timeout 0",
    "search": "search beta text",
    "thread": "thread beta {id}",
    "rename": "rename beta delta",
    "unregister": "unregister beta",
}
TAKING = {"send", "reply", "delegate"}
WITHOUT_WORDS = {"wire", "unwire", "demo", "git", "roster", "doctor", "whoami"}


@pytest.fixture
def ready(run: Cli) -> Cli:
    for identity in ("alpha", "beta"):
        (run.home / identity).mkdir()
        assert run("register", identity, str(run.home / identity), "takes", "part").code == 0
    return run


@pytest.fixture
def id(ready: Cli) -> str:
    """A message that waits for beta."""
    return ready("send", "alpha", "beta", "hello", "S", stdin="text\n").out.strip()


def given(run: Cli, *words: str, stdin: bytes = TEXT) -> Ran:
    """A call with a text on standard input, whatever the command; the text is there before the call looks."""
    read, write = os.pipe()
    with open(read, "rb") as pipe, open(write, "wb") as writer:
        writer.write(stdin)
        writer.close()
        done = subprocess.run(
            run.command(*words),
            stdin=pipe,
            capture_output=True,
            env=run.environment(),
            cwd=run.home,
            timeout=30,
        )
    return Ran(done.returncode, done.stdout, done.stderr)


def in_shell(run: Cli, script: str) -> Ran:
    """A script in which `agentmail` is the program, as a process that replaces the subshell."""
    return run_process(
        ["sh", "-c", script.replace("agentmail", shlex.join(run.command()))], b"", run.environment(), run.home
    )


@pytest.mark.parametrize("name", sorted(VERBS.keys() - TAKING))
def test_a_command_that_takes_no_text_refuses_one_and_changes_nothing(ready: Cli, id: str, name: str) -> None:
    before = tree(ready.bus)
    words = CALLS.get(name, name if name in WITHOUT_WORDS else f"{name} beta").replace("{id}", id).split()
    ran = given(ready, *words)
    assert (ran.code, "" if name == "snapshot" and not ran.json["ok"] else ran.out) == (2, "")
    assert ran.err == (
        f"agentmail: standard input carries a text, but {name} takes none; nothing was changed; send, reply and "
        "delegate take a text; to make this call without one, add </dev/null\n"
    )
    assert tree(ready.bus) == before


def test_a_retry_has_its_text_and_refuses_another(ready: Cli, id: str) -> None:
    before = tree(ready.bus)
    ran = given(ready, "send", "alpha", "--retry", id)
    assert (ran.code, tree(ready.bus)) == (2, before)
    assert "send --retry takes none" in ran.err
    assert ready("send", "alpha", "--retry", id).code == 0


def test_a_file_as_standard_input_is_a_text_too(ready: Cli, id: str) -> None:
    (ready.home / "text").write_bytes(TEXT)
    assert in_shell(ready, f"agentmail archive beta {id} <text").code == 2
    assert in_shell(ready, f"agentmail archive beta {id} </dev/null").code == 0


def test_nothing_on_standard_input_is_no_text(ready: Cli, id: str) -> None:
    assert given(ready, "read", "beta", id, stdin=b"").code == 0
    (ready.home / "empty").touch()
    assert in_shell(ready, f"agentmail read beta {id} <empty").code == 0
    with ready.start("read", "beta", id) as process:  # a pipe that stays open
        assert process.wait(timeout=30) == 0


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="the system does not say what a process inherited"
)
def test_a_script_or_a_list_that_the_caller_itself_reads_is_no_text_for_the_call(ready: Cli, id: str) -> None:
    other = ready("send", "alpha", "beta", "other", "S", stdin="text\n").out.strip()
    (ready.home / "list").write_text(f"{id}\n{other}\n")
    ran = in_shell(ready, "while read -r id; do agentmail archive beta $id; done <list")
    assert (ran.code, ran.lines) == (0, [f"archived {id}", f"archived {other}"])
    program = shlex.join(ready.command())
    script = f"{program} check beta\n{program} check alpha\necho $?\n"
    ran = run_process(["sh"], script.encode(), ready.environment(), ready.home)
    assert (ran.code, ran.err, ran.lines[-1]) == (0, "", "0")


def test_a_text_of_which_it_cannot_be_told_whose_it_is_is_never_dropped_and_never_taken(ready: Cli) -> None:
    """sh redirects itself for a single command, so that its text looks like one that others read."""
    ran = in_shell(ready, "agentmail delegate alpha beta --task below <<'EOF'\nthe WHOLE text\nEOF\necho $?")
    if ran.lines[-1] == "0":
        _, body = header_and_body(read_box(ready.bus / "beta").inbox[ran.lines[0]])
        assert TEXT in body
    else:
        assert (ran.lines, "add </dev/null" in ran.err) == (["2"], True)
    (ready.home / "list").write_text("one\ntwo\n")
    ran = in_shell(ready, "while read -r task; do agentmail delegate alpha beta --task $task; done <list")
    assert (ran.code, ran.trouble, len(ran.lines)) == (0, "", 2)


def test_a_text_beside_a_body_file_is_refused(ready: Cli) -> None:
    (ready.home / "text").write_bytes(TEXT)
    ran = given(ready, "send", "alpha", "beta", "x", "S", "--body-file", "text")
    assert ran.code == 2
    assert "standard input carries a text, but --body-file names the text" in ran.err
    assert given(ready, "send", "alpha", "beta", "x", "S", "--body-file", "/dev/stdin").code == 0
    assert given(ready, "send", "alpha", "beta", "x", "S", "--body-file", "-").code == 0


def test_delegate_takes_the_text(ready: Cli) -> None:
    ran = given(ready, "delegate", "alpha", "beta", "--task", "see below")
    assert (ran.code, ran.trouble) == (0, "")
    _, body = header_and_body(read_box(ready.bus / "beta").inbox[ran.out.strip()])
    assert TEXT in body


def test_neither_text_nor_subject_is_refused(ready: Cli, id: str) -> None:
    before = tree(ready.bus)
    for words in (
        ("send", "alpha", "beta", "review"),
        ("reply", "beta", id),
        ("send", "alpha", "@all", "x", " "),
    ):
        ran = given(ready, *words, stdin=b"")
        assert (ran.code, ran.out) == (2, "")
        assert (
            "there is neither a text nor a subject; nothing was changed; the text comes on standard input"
            in ran.err
        )
    assert tree(ready.bus) == before


def test_a_subject_alone_is_sent_with_a_warning(ready: Cli, id: str) -> None:
    ran = given(ready, "send", "alpha", "beta", "review", "The branch is parser-v2", "--json", stdin=b"")
    assert ran.code == 0
    (warning,) = ran.json["warnings"]
    assert warning.startswith("no text came on standard input")
    assert "`agentmail send alpha beta review 'The branch is parser-v2' <<'EOF' ...`" in warning
    assert warning in ran.err
    ran = given(ready, "reply", "beta", id, "thanks", stdin=b"")
    assert (ran.code, "no text came" in ran.err) == (0, True)


@pytest.mark.parametrize("first", [b"", b"half of "])
def test_an_open_pipe_is_waited_for_aloud(ready: Cli, first: bytes) -> None:
    with ready.start("send", "alpha", "beta", "late") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(first)
        process.stdin.flush()
        said = process.stderr.readline()
        out, err = process.communicate(TEXT, timeout=30)
    assert said.startswith(b"agentmail: waiting for the text of the message: standard input is open")
    ran = Ran(process.returncode, out, err)
    assert (ran.code, ran.trouble) == (0, "")
    assert header_and_body(read_box(ready.bus / "beta").inbox[out.decode().strip()])[1] == first + TEXT


def test_a_wait_without_a_limit_says_so_before_it_blocks(ready: Cli) -> None:
    with ready.start("wait", "beta", stdin=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        assert b"waiting without a time limit" in process.stderr.readline()
        assert ready("send", "alpha", "beta", "x", "S", stdin="text").code == 0
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert b"-alpha-x" in out
    assert ready("wait", "beta").err == ""
    assert ready("wait", "alpha", "--timeout", "0").err == ""
