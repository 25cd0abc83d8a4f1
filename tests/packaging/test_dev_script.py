"""./dev in the places where it has to work: other shells, other directories, machines that lack something."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SHELLS = {"sh": ["sh"], "dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}
PRESENT = [name for name in SHELLS if shutil.which(name)]
TOOLS = ("sh", "cat", "dirname", "ln", "mkdir", "readlink", "rm", "sleep", "tail")


@pytest.fixture(params=PRESENT)
def shell(request) -> list[str]:
    """Each shell of this machine that ./dev may meet."""
    command, *options = SHELLS[request.param]
    return [shutil.which(command) or command, *options]


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """What ./dev needs of a clone, in a directory whose name has a space."""
    there = tmp_path / "a clone"
    (there / ".ci").mkdir(parents=True)
    for name in (
        "dev",
        "pyproject.toml",
        ".ci/constraints.txt",
        ".ci/hatch_build.py",
        "README.md",
        "LICENSE",
    ):
        if (root / name).exists():
            shutil.copy(root / name, there / name)
    for name in ("agentmail", "bin"):
        shutil.copytree(root / name, there / name, ignore=shutil.ignore_patterns("__pycache__"))
    return there


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A directory for PATH with the tools that every Unix has, and no Python."""
    bare = tmp_path / "bin"
    bare.mkdir()
    for tool in TOOLS:
        (bare / tool).symlink_to(shutil.which(tool) or tool)
    return bare


def run(
    shell: list[str], script: Path, *arguments: str, path: Path | str, home: Path
) -> subprocess.CompletedProcess[str]:
    """Run ./dev from another directory, in an environment with a HOME and a PATH only."""
    return subprocess.run(
        [*shell, script, *arguments],
        cwd=home,
        env={"HOME": str(home), "PATH": str(path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def pretend(bare: Path, name: str, script: str) -> None:
    """Put a program of another machine on PATH."""
    (bare / name).write_text(f"#!/bin/sh\n{script}")
    (bare / name).chmod(0o755)


def test_each_shell_can_parse_every_script_that_we_hand_out(shell, root):
    scripts = [root / "dev", *(root / "bin").iterdir(), *(root / "hooks").iterdir()]
    for script in scripts:
        if script.read_bytes().startswith(b"#!/bin/sh\n"):
            done = subprocess.run([*shell, "-n", script], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, ""), script


def test_help_needs_no_set_up(shell, clone, bare, tmp_path):
    done = run(shell, clone / "dev", "help", path=bare, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "./dev check" in done.stdout
    assert not (clone / ".venv").exists()


def test_a_command_that_is_not_there_is_refused(shell, clone, bare, tmp_path):
    done = run(shell, clone / "dev", "frobnicate", path=bare, home=tmp_path)
    assert done.returncode == 2
    assert "there is no ./dev frobnicate" in done.stderr


def test_without_a_python_it_says_in_one_line_what_is_missing(shell, clone, bare, tmp_path):
    done = run(shell, clone / "dev", "test", path=bare, home=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "dev: no Python >= 3.11 on PATH; install one (or uv), then run this again\n"


def test_a_python_that_is_too_old_and_a_shim_that_stands_for_nothing_are_passed_over(
    shell, clone, bare, tmp_path
):
    pretend(bare, "python3", "exit 1\n")
    pretend(bare, "python3.13", "echo 'command not found' >&2; exit 127\n")
    done = run(shell, clone / "dev", "test", path=bare, home=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("dev: no Python >= 3.11 on PATH")


def test_a_python_without_ensurepip_and_pip_is_named_together_with_the_remedy(shell, clone, bare, tmp_path):
    base = os.path.realpath(sys.executable)
    pretend(bare, "python3", f'case $2 in venv | pip) exit 1 ;; esac\nexec "{base}" "$@"\n')
    done = run(shell, clone / "dev", "test", path=bare, home=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "dev: no ensurepip and no pip >= 22.3 for: python3; "
        "install python3-venv (or uv), then run this again\n"
    )
    assert not (clone / ".venv").exists()


def test_a_lock_whose_maker_is_dead_is_taken_over_and_given_back(shell, clone, bare, tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    (clone / ".dev").mkdir()
    (clone / ".dev/lock").symlink_to(str(dead.pid))
    done = run(shell, clone / "dev", "test", path=bare, home=tmp_path)
    assert done.stderr.startswith("dev: no Python")
    assert not (clone / ".dev/lock").is_symlink()


def test_only_one_line_a_step_reaches_the_terminal(shell, clone, bare, tmp_path):
    pretend(bare, "uv", "echo noise; echo noise >&2; exit 1\n")
    done = run(shell, clone / "dev", "test", path=bare, home=tmp_path)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "noise" in (clone / ".dev/set-up.log").read_text()


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_set_up_that_was_killed_is_made_good_by_the_next_one(clone, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    # The machine's own settings for pip and uv stay: the real set-up needs its index.
    surroundings = {**os.environ, "HOME": str(home)}
    command = [clone / "dev", "test", "--version"]
    first = subprocess.Popen(
        command, env=surroundings, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    assert first.stderr
    assert "installing" in first.stderr.readline()  # .venv stands, and is empty
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pytest ")
    again = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (0, "")
