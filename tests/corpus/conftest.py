"""The arranged bus of this room."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.corpus.post")
from tests.corpus.post import Post  # noqa: E402  (rewriting comes before the import)


@pytest.fixture
def post(tmp_path: Path) -> Post:
    """A bus with two neighbours in a directory of its own, and surroundings to watch."""
    return Post(tmp_path)
