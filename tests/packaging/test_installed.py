"""The wheel in an environment of its own, run as a user runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import agentmail


@pytest.fixture
def run(installed: Path, tmp_path: Path):
    """Run the installed command with nothing of the repository in reach."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        surroundings = {
            "HOME": str(tmp_path),
            "PATH": f"{installed / 'bin'}:/usr/bin:/bin",
            "AGENT_MAIL_DIR": str(tmp_path / "bus"),
            "LC_ALL": "C.UTF-8",
        }
        return subprocess.run(
            ["agentmail", *arguments],
            cwd=tmp_path,
            env=surroundings,
            input="",
            capture_output=True,
            text=True,
        )

    return run


def test_the_command_says_its_version(run):
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert agentmail.__version__ in done.stdout


def test_the_command_reads_a_bus_that_is_not_there_yet(run):
    done = run("roster")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", ["-h", "roster -h", "send -h"])
def test_help_needs_nothing_that_is_not_required(run, arguments):
    done = run(*arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage" in done.stdout


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
