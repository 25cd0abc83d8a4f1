"""Fixtures of the tests with real processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.fixture
def age() -> Callable[[Path, int], None]:
    """Let a file look so many days old."""

    def make_older(path: Path, days: int) -> None:
        then = time.time_ns() - days * 86_400 * 10**9
        os.utime(path, ns=(then, then))

    return make_older


@pytest.fixture
def ready(run: Cli) -> Cli:
    """A bus where alpha and beta are registered."""
    for identity in ("alpha", "beta"):
        assert run("register", identity, str(run.home), "takes", "part").code == 0
    return run
