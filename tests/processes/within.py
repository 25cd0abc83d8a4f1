"""Runs the program with a umask, a limit, as another user, or with closed descriptors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT, Cli

NOBODY = 65534


class Within(Cli):
    """A command line whose words come behind a prefix, such as `setpriv ...`."""

    def __init__(self, cli: Cli, *prefix: str, python: str = sys.executable) -> None:
        super().__init__(cli.bus, cli.home, **cli.variables)
        self.prefix = prefix
        self.python = python

    def command(self, *words: str) -> list[str]:
        return [*self.prefix, self.python, *super().command(*words)[1:]]


def shell(cli: Cli, script: str) -> Within:
    """Behind a line of sh, which ends in `exec "$@"`."""
    return Within(cli, "sh", "-c", script, "sh")


def umask(cli: Cli, mask: str) -> Within:
    """Under a umask."""
    return shell(cli, f'umask {mask}; exec "$@"')


def limited(cli: Cli, option: str, value: int) -> Within:
    """Under a limit of ulimit: `f` for blocks a file may have, `n` for open files."""
    return shell(cli, f'ulimit -{option} {value}; exec "$@"')


def need(*programs: str) -> None:
    """Skip, counted and with the reason, where this machine lacks a program."""
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")


def need_root() -> None:
    """Skip, counted and with the reason, without the rights of root."""
    if os.geteuid() != 0:
        pytest.skip("only root can arrange this")


def as_nobody(cli: Cli, place: Path) -> Within:
    """As a user who is not root, by an interpreter and a copy of the program that this user can read.

    `place` is a directory that everybody may enter: neither the repository nor pytest's own may be one.
    """
    need_root()
    need("setpriv")
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    shutil.copytree(ROOT / "agentmail", place / "agentmail", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (place, *place.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    for python in (sys.executable, os.path.realpath(sys.executable), "/usr/bin/python3"):
        probe = [*user, python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(probe, capture_output=True, cwd="/").returncode == 0:
                cli = Cli(cli.bus, cli.home, **{**cli.variables, "PYTHONPATH": str(place)})
                return Within(cli, *user, python=python)
        except OSError:
            continue
    pytest.skip("no Python >= 3.11 that another user can run")


def one_line(text: str) -> str:
    """The text, which has to be one line of diagnostics."""
    assert text.startswith("agentmail: "), text
    assert text.count("\n") == 1, text
    return text
