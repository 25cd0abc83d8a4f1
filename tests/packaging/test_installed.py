"""The wheel in an environment of its own, run as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import agentmail


@pytest.fixture
def surroundings(installed: Path, tmp_path: Path) -> dict[str, str]:
    """Nothing of the repository is in reach."""
    return {
        "HOME": str(tmp_path),
        "PATH": f"{installed / 'bin'}:/usr/bin:/bin",
        "AGENT_MAIL_DIR": str(tmp_path / "bus"),
        "LC_ALL": "C.UTF-8",
    }


@pytest.fixture
def run(surroundings, tmp_path):
    """Run the installed command, or another program in its surroundings."""

    def run(*arguments: str, program: str = "agentmail", text: str = "") -> subprocess.CompletedProcess[str]:
        command = [program, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=surroundings, input=text, capture_output=True, text=True
        )

    return run


def test_the_command_says_its_version(run):
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert agentmail.__version__ in done.stdout


def test_what_was_registered_is_on_the_roster(run, tmp_path):
    (tmp_path / "work").mkdir()
    registered = run("register", "alpha", str(tmp_path / "work"), "keeps", "the", "ledger")
    assert registered.returncode == 0, registered.stderr
    done = run("roster")
    assert (done.returncode, done.stderr) == (0, "")
    assert "alpha" in done.stdout
    assert "keeps the ledger" in done.stdout


def test_the_hooks_of_the_wheel_find_the_package_that_they_lie_in(run, installed, tmp_path):
    (tmp_path / "work").mkdir()
    run("register", "alpha", str(tmp_path / "work"), "keeps the ledger")
    sent = run("send", "alpha", "alpha", "a-word", text="to myself\n")
    assert sent.returncode == 0, sent.stderr
    (hook,) = installed.glob("lib/python*/site-packages/agentmail/hooks/mail-check")
    event = {"session_id": "s1", "hook_event_name": "SessionStart", "cwd": str(tmp_path / "work")}
    done = run("SessionStart", program=str(hook), text=json.dumps(event))
    assert (done.returncode, done.stderr) == (0, "")
    assert sent.stdout.strip() in done.stdout


@pytest.mark.parametrize("arguments", ["-h", "roster -h", "send -h"])
def test_help_needs_nothing_that_is_not_required(run, arguments):
    done = run(*arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage" in done.stdout


def test_the_mcp_server_answers_with_what_is_required_and_nothing_more(run):
    assert run("register", "alpha", "-", "keeps the ledger").returncode == 0
    lines = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"id": 2, "method": "tools/call", "params": {"name": "mail_roster"}},
    ]
    done = run("mcp", text="".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["result"]["serverInfo"]["name"] == "agentmail"
    assert second["result"]["isError"] is False


def test_every_module_can_be_imported_with_what_is_required_and_nothing_more(installed, tmp_path):
    source = (
        "import importlib, pkgutil, agentmail\n"
        "for module in pkgutil.walk_packages(agentmail.__path__, 'agentmail.'):\n"
        "    if module.name.split('.')[-1] != '__main__':\n"
        "        importlib.import_module(module.name)\n"
    )
    done = subprocess.run(
        [installed / "bin" / "python", "-I", "-c", source], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
