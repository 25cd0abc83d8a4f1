"""Fixtures of the fault tests: a compiled copy of the program, the variables of a command, a check for strace."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import ROOT


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled copy of the program, so that every run of it makes the same system calls."""
    place = tmp_path_factory.mktemp("program")
    shutil.copytree(ROOT / "agentmail", place / "agentmail", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "hooks", place / "hooks")
    shutil.copy(ROOT / "hooks.json", place)
    compileall.compile_dir(place, quiet=1)
    return place


@pytest.fixture
def environment(program: Path, tmp_path: Path) -> dict[str, str]:
    """The variables of a command: nothing of the surroundings but PATH."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(tmp_path / "place" / "home"),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(program),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "AGENT_MAIL_DIR": str(tmp_path / "place" / "bus"),
    }


@pytest.fixture
def needs_strace() -> None:
    """Skip, counted and with the reason, where strace is missing or may not trace."""
    if not shutil.which("strace"):
        pytest.skip("needs strace")
    probe = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "inject=getppid:error=EIO",
        "true",
    ]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("strace may not trace here")
