"""An index of other code is another index: its version is a checksum of what decides its rows."""

from __future__ import annotations

from tests.views.reader_version import checksum, written


def test_the_version_of_an_index_is_that_of_the_code() -> None:
    assert written() == checksum(), "run .venv/bin/python -m tests.views.reader_version"
