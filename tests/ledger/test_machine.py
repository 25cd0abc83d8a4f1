"""Which machine this is: one id, made once, however many ask at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.errors import Refused
from agentmail.core.fs import Disk
from agentmail.ledger.machine import machine_id
from tests.support.cli import ROOT

ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from agentmail.core.fs import Disk
from agentmail.core.environment import Environment
from agentmail.ledger.machine import machine_id
print("ready", flush=True)
sys.stdin.read(1)
print(machine_id(Environment({"HOME": sys.argv[2]}), Disk()))
"""


def ask(home: Path, **variables: str) -> str:
    return machine_id(Environment({"HOME": str(home), **variables}), Disk())


def test_it_is_made_once_and_kept(tmp_path):
    first = ask(tmp_path)
    assert ask(tmp_path) == first
    path = tmp_path / ".agents" / "machine.json"
    assert json.loads(path.read_text()) == {"machine": first}
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_it_says_nothing_of_the_machine_or_its_user(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = ask(tmp_path / "one"), ask(tmp_path / "two")
    assert one != two
    assert len(one) == 17
    assert one[0] + two[0] == "mm"  # a letter first: YAML takes it for text
    assert set(one[1:] + two[1:]) <= set("0123456789abcdef")


def test_eight_that_ask_at_once_are_told_one_id(tmp_path):
    command = [sys.executable, "-I", "-S", "-c", ASK, str(ROOT), str(tmp_path)]
    asking = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    for process in asking:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in asking:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    told = {process.communicate(timeout=30)[0].strip() for process in asking}
    assert [process.returncode for process in asking] == [0] * 8
    assert told == {ask(tmp_path)}
    assert os.listdir(tmp_path / ".agents") == ["machine.json"]


def test_the_variable_comes_first_and_is_not_kept(tmp_path):
    assert ask(tmp_path, AGENT_MAIL_MACHINE="Desk.1") == "Desk.1"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a/b", "..", "-x", "x" * 65, "a b", "\n"])
def test_a_variable_that_is_no_name_is_refused(tmp_path, name):
    with pytest.raises(Refused, match="AGENT_MAIL_MACHINE"):
        ask(tmp_path, AGENT_MAIL_MACHINE=name)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"machine": 7}', '{"machine": "../x"}', "\0", '"x"', "{" * 9999]
)
def test_a_file_that_holds_no_id_is_an_error_and_stays(tmp_path, text):
    path = tmp_path / ".agents" / "machine.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(OSError, match="no machine id"):
        ask(tmp_path)
    assert path.read_text() == text


@pytest.mark.parametrize("what", ["a directory", "a link", "a FIFO"])
def test_what_stands_in_the_files_place_is_an_error_at_once(tmp_path, what):
    path = tmp_path / ".agents" / "machine.json"
    path.parent.mkdir()
    {
        "a directory": path.mkdir,
        "a link": lambda: path.symlink_to("/etc/hostname"),
        "a FIFO": lambda: os.mkfifo(path),
    }[what]()
    with pytest.raises(OSError):
        ask(tmp_path)
