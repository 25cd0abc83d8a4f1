"""Fixtures: our program and a shell script, which knows only the file format, on one bus."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Cli, Ran, run_process

HELPER = Path(__file__).with_name("helper.sh")


class Helper(Cli):
    """The shell script, called like our program."""

    def command(self, *words: str) -> list[str]:
        return ["sh", str(HELPER), *words]


@pytest.fixture
def helper(run: Cli) -> Helper:
    return Helper(run.bus, run.home)


@pytest.fixture(params=["ours", "helper"])
def registered(run: Cli, helper: Helper, request) -> Cli:
    """Our program, on a bus where either program registered alpha and beta."""
    first: Cli = run if request.param == "ours" else helper
    for identity in ("alpha", "beta"):
        assert first("register", identity, "/srv/" + identity, "takes", "part").code == 0
    return run


@pytest.fixture
def age() -> Callable[[Path, int], None]:
    """Let a file look so many days old."""

    def make_older(path: Path, days: int) -> None:
        then = time.time_ns() - days * 86_400 * 10**9
        os.utime(path, ns=(then, then))

    return make_older


def tool(*words: str | Path) -> Ran:
    """Run a tool of the system, such as gunzip, and expect it to be content."""
    done = run_process([*map(str, words)], b"", {"PATH": os.environ["PATH"]}, Path.cwd())
    assert (done.code, done.stderr) == (0, b""), words
    return done
