"""A small bus for the laws, in memory where the system has such a place, under the umask of every entry point."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.worlds import World, make_world


@pytest.fixture
def private_umask() -> Iterator[None]:
    """What every entry point sets before it makes anything."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture
def world(quick_path: Path, private_umask: None) -> World:
    """A bus with a message in every place."""
    return make_world(quick_path / "bus")
