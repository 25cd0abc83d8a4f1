"""`wire` runs each hook once as a dry run, as the host would run it, and reports the result."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.hosts.hooks_file.command import temporary_path
from tests.support.cli import ROOT, Cli
from tests.support.trees import tree
from tests.support.wiring import Home, for_claude_code

SPACE = 'it\'s a "place" $(true) `x` \\ ;&|<>*?~#!é'


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


@pytest.fixture
def mail(home: Home) -> Cli:
    """A bus on which the project is beta's, with one message that waits."""
    cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None)
    assert cli("register", "beta", str(home.project), "takes", "part").code == 0
    assert cli("send", "beta", "beta", "hello", "S", stdin="BODY\n").code == 0
    return cli


def test_the_mail_of_the_current_directory_is_reported_and_nothing_is_recorded(home: Home, mail: Cli) -> None:
    before = tree(home.bus)
    ran = home.wire(CLAUDE_CODE_SESSION_ID="this-session")
    assert ran.lines[1:] == [
        "tried mail-check at SessionStart: agentmail: 1 message waits for beta",
        "tried mail-check at UserPromptSubmit: agentmail: 1 message waits for beta, new to this session",
        "tried mail-guard at PreToolUse: refuses to write into a mailbox",
    ]
    assert tree(home.bus) == before
    answer = home.wire("--wake", "--json").json
    (found,) = answer["hosts"]
    assert (answer["identity"], found["wake"]) == ("beta", True)
    assert all(one["works"] for one in found["tried"])
    assert [one["said"] for one in found["tried"] if one["hook"] == "mail-wake"] == [
        str(home.bus / "beta" / "inbox"),
        str(home.bus / "beta" / "inbox"),
        "",
    ]
    assert tree(home.bus) == before


def test_without_mail_and_without_an_identity_the_answer_says_so(home: Home, mail: Cli) -> None:
    ran = home.wire(cwd=home.root)
    assert ran.lines[1] == "tried mail-check at SessionStart: works; this directory belongs to no identity"
    for name in os.listdir(home.bus / "beta" / "inbox"):
        assert mail("archive", "beta", name).code == 0
    assert home.wire().lines[1] == "tried mail-check at SessionStart: works; no mail for beta"
    assert home.wire(cwd=home.root, AGENT_MAIL_SELF="beta").lines[1].endswith("no mail for beta")


class Copy:
    """The program at another place, run there."""

    def __init__(self, place: Path, home: Home) -> None:
        place.mkdir()
        for name in ("agentmail", "hooks"):
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "hooks.json", place)
        (place / "python").symlink_to(sys.executable)
        self.place, self.home = place, home
        self.cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None, PYTHONPATH=str(place))

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *self.cli.command(*for_claude_code(words))[1:]],
            env=self.cli.environment(),
            cwd=self.home.project,
            capture_output=True,
            text=True,
        )


@pytest.fixture
def copy(home: Home) -> Copy:
    return Copy(home.root / SPACE, home)


def test_any_character_may_be_in_the_path_and_the_hooks_run(home: Home, copy: Copy, mail: Cli) -> None:
    home.put(b"{}")
    done = copy("wire")
    assert done.returncode == 0, done.stderr
    assert "1 message waits for beta" in done.stdout
    assert "refuses to write into a mailbox" in done.stdout
    for event, command in home.commands():
        payload = {"session_id": "s", "hook_event_name": event, "cwd": str(home.project)}
        ran = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps(payload).encode(),
            env=copy.cli.environment(),
            check=True,
        )
        assert ran.returncode == 0
    assert copy("wire").stdout.startswith("already wired ")
    assert copy("unwire").returncode == 0
    assert home.settings.read_bytes() == b"{}"


@pytest.mark.parametrize(
    "damage, words",
    [
        ("chmod -x hooks/mail-check", "exit 126"),
        ("echo broken >agentmail/hosts/runtime/check.py", "exit 1"),
        ("printf '#!/bin/sh\\necho stray' >hooks/mail-check", "not the answer of a hook: stray"),
    ],
)
def test_a_hook_that_does_not_work_is_named_and_the_exit_code_is_1(
    home: Home, copy: Copy, mail: Cli, damage: str, words: str
) -> None:
    assert copy("wire").returncode == 0
    wired = home.settings.read_bytes()
    subprocess.run(["sh", "-c", damage], cwd=copy.place, check=True)
    done = copy("wire")
    assert done.returncode == 1
    assert "DOES NOT WORK: " in done.stdout
    assert words in done.stdout
    assert "mail-check at SessionStart, mail-check at UserPromptSubmit does not work" in done.stderr
    assert home.settings.read_bytes() == wired


def test_a_line_break_in_the_path_is_refused(home: Home) -> None:
    copy = Copy(home.root / "two\nlines", home)
    done = copy("wire")
    assert (done.returncode, "cannot stand in the settings" in done.stderr) == (2, True)
    assert not home.config.exists()


# --- places that do not stay -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/x/bin/python",
        "/home/me/.cache/uv/archive-v0/5f0c/bin/python",
        "/home/me/Library/Caches/pipx/x/bin/python",
        "/srv/uv/archive-v0/5f0c/lib/python3.12/site-packages/agentmail",
        "/scratch/venv/bin/python",
        "/somebody/s/cache/x/bin/python",
    ],
)
def test_temporary_directories_and_caches_are_recognised(path: str) -> None:
    environment = Environment({"TMPDIR": "/scratch", "UV_CACHE_DIR": "/somebody/s/cache", "TMP": "x"}, "/")
    assert temporary_path(environment, "/opt/stays", path) == path


@pytest.mark.parametrize(
    "path", ["/opt/x/bin/python", "/home/me/.local/pipx/venvs/x/bin/python", "/usr/bin/tmp", ""]
)
def test_other_directories_are_permanent(path: str) -> None:
    assert temporary_path(Environment({"TMPDIR": "/"}, "/"), path) == ""


def test_wiring_from_a_temporary_directory_is_done_with_a_warning(home: Home, tmp_path: Path) -> None:
    place = tmp_path / ".cache"
    place.mkdir()
    copy = Copy(place / "uvx", home)
    done = copy("wire")
    assert done.returncode == 0
    assert f"warning: this runs from {place / 'uvx'}, which is temporary" in done.stderr
    assert "pipx install agentmail-bus" in done.stderr
