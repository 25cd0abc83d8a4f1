"""Fixtures of the tests of bad input: a bus with two identities."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.post import Post


@pytest.fixture
def post(tmp_path: Path) -> Post:
    """A bus with two neighbours in a directory of its own, and surroundings to watch."""
    return Post(tmp_path)
