"""Fixtures for the tests of our hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hooks import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    """A bus with alpha, and the ways to run our hooks for a session of alpha's."""
    return Bed(tmp_path)
