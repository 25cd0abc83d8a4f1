"""A fault of ours that nobody foresaw is one line with an exit code, as every error is; never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentmail.core.fs import Disk
from tests.corpus.post import clean
from tests.support.in_process import run_in_process

T = TypeVar("T")


class Unforeseen(Disk):
    """A disk on which every call meets an error that no code of ours expects."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def call(self, what: str, function: Callable[..., T], /, *_: Any, **__: Any) -> T:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        ValueError("two\nlines \x1b[2J \udcff"),
        RecursionError("maximum recursion depth exceeded"),
        MemoryError(),
        ModuleNotFoundError("No module named 'x'", name="x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_fault_of_agentmail_is_one_line_that_leaves_the_outcome_open(
    tmp_path: Path, error: Exception
) -> None:
    bus = tmp_path / "bus"
    bus.mkdir(mode=0o700)
    for words in (("check", "beta"), ("send", "alpha", "beta", "hello"), ("check", "beta", "--json")):
        ran = run_in_process(words, bus, b"text", disk=Unforeseen(error))
        assert ran.code == 4
        assert clean(ran.err.encode()).count("\n") == 1
        assert ran.err.startswith(f"agentmail: a fault of agentmail itself: {type(error).__name__}")
        assert "may be done or not; look with" in ran.err
        assert "test_own_faults.py:" in ran.err
        assert ("--json" in words) == bool(ran.out)
    assert json.loads(ran.out)["outcome"] == "unconfirmed"
