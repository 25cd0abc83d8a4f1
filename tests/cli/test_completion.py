"""The shell completes commands, options, identities and the ids that wait, by the protocol that bash uses."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.fixture
def ready(run: Cli, tmp_path: Path) -> Cli:
    """alpha and beta; the home directory of the calls lies in beta's workdir."""
    for identity, workdir in (("alpha", "/srv/alpha"), ("beta", str(tmp_path)), ("bert", "/srv/bert")):
        assert run("register", identity, workdir, "takes", "part").code == 0
    return run


def offered(run: Cli, line: str) -> list[str]:
    """What bash would offer at the end of a line."""
    words = line.split(" ")
    ran = run(
        env={
            "_AGENTMAIL_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
    )
    assert (ran.code, ran.err) == (0, "")
    return [line for line in ran.lines if line]  # no offer is an empty line


def test_commands_and_options_are_offered(ready: Cli) -> None:
    assert offered(ready, "agentmail re") == ["register", "rename", "read", "reply", "receipts"]
    assert "--body-file" in offered(ready, "agentmail send --")


def test_identities_are_offered(ready: Cli) -> None:
    assert offered(ready, "agentmail check ") == ["alpha", "bert", "beta"]
    assert offered(ready, "agentmail send alpha be") == ["bert", "beta"]
    assert offered(ready, "agentmail prune al") == ["alpha"]


@pytest.mark.parametrize("command", ["read", "reply", "archive"])
def test_the_ids_of_my_waiting_messages_are_offered(ready: Cli, command: str) -> None:
    ids = [ready("send", "alpha", "beta", f"n{number}", "subject").out.strip() for number in range(2)]
    assert offered(ready, f"agentmail {command} 2") == ids
    assert offered(ready, f"agentmail {command} {ids[1]}") == [ids[1]]
    assert offered(ready, f"agentmail {command} ") == ["alpha", "bert", "beta", *ids]


def test_completion_offers_nothing_and_prints_nothing_after_an_error(ready: Cli) -> None:
    shutil.rmtree(ready.bus)
    assert offered(ready, "agentmail check ") == []
    assert offered(ready, "agentmail read ") == []


def test_bash_completes_a_line(ready: Cli) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("not installed here: bash")
    command = ready.home / "agentmail"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(ready.command())} "$@"\n')
    command.chmod(0o700)
    script = ready(env={"_AGENTMAIL_COMPLETE": "source_bash"}).out
    asked = 'COMP_WORDS=(agentmail check al); COMP_CWORD=2; complete_agentmail "$1"; echo "${COMPREPLY[@]}"'
    function = next(word for word in script.split() if word.endswith("()"))
    done = subprocess.run(
        [bash, "-c", f"{script}\n{asked.replace('complete_agentmail', function[:-2])}", "bash", command],
        env=ready.environment(),
        cwd=ready.home,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("alpha\n", "")
