"""What the tests of conversations may ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conversations.office import EVERYBODY, Office
from tests.support.cli import Cli


@pytest.fixture
def office(quick_path: Path) -> Office:
    """Three agents on a bus, with the command line in this process."""
    place = quick_path / "office"
    place.mkdir()
    return Office(place)


@pytest.fixture
def desk(run: Cli) -> Cli:
    """Three agents on a bus, with the command line as processes of beta's session."""
    for identity in EVERYBODY:
        assert run("register", identity, "/srv", "takes", "part").code == 0
    run.variables["AGENT_MAIL_SELF"] = "beta"
    return run


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait for something that another process brings about; the test's own time-out ends a wait that is in vain."""

    def wait(happened: Callable[[], bool]) -> None:
        while not happened():
            time.sleep(0.01)

    return wait
