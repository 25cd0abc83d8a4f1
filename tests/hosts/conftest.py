"""Fixtures for the tests of our hooks, and the marker of those that run a real host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hooks import Bed


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


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    """A bus with alpha, and the ways to run our hooks for a session of alpha's."""
    return Bed(tmp_path)
