"""What the tests of the verbs may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.verbs.patient import Patient


@pytest.fixture
def patient(bus_dir: Path) -> Iterator[Patient]:
    """A healthy bus, under the umask that every entry point sets."""
    before = os.umask(0o077)
    yield Patient(bus_dir)
    os.umask(before)
