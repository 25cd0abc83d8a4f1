"""Fixtures: the real Claude Code in a home of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .client import MISSING, find_client
from .rig import Rig


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", "hosts: runs a real host program, a second or more each; see ./dev hosts"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test with a real client is slow; tryfirst: before pytest leaves out what -m does."""
    for item in items:
        if item.get_closest_marker("hosts"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def claude_client() -> Path:
    """The client's program; the test is skipped, with the reason, where it is not installed."""
    client = find_client()
    if client is None:
        pytest.skip(MISSING)
    return client


@pytest.fixture
def new_claude_rig(claude_client: Path, tmp_path: Path) -> Callable[[str], Rig]:
    """Makes rigs by name, for tests that need more than one."""
    return lambda name: Rig(claude_client, tmp_path / name)


@pytest.fixture
def claude_rig(new_claude_rig: Callable[[str], Rig]) -> Rig:
    """A rig with a home of its own."""
    return new_claude_rig("rig")
