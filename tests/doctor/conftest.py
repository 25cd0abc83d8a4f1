"""What the tests of the verbs may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doctor.examined_bus import ExaminedBus


@pytest.fixture
def examined(bus_dir: Path) -> Iterator[ExaminedBus]:
    """A healthy bus, under the umask that every entry point sets."""
    before = os.umask(0o077)
    yield ExaminedBus(bus_dir)
    os.umask(before)
