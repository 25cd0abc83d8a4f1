"""Fixtures: the real Claude Code in a home of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.rig.clients import CLIENTS

from .rig import Rig


@pytest.fixture(scope="session")
def claude_client() -> Path:
    """The client's program; the test is skipped, with the reason, where it is not installed."""
    client = CLIENTS["claude-code"].find()
    if client is None:
        pytest.skip(CLIENTS["claude-code"].missing)
    return client


@pytest.fixture
def new_claude_rig(claude_client: Path, tmp_path: Path) -> Callable[[str], Rig]:
    """Makes rigs by name, for tests that need more than one."""
    return lambda name: Rig(claude_client, tmp_path / name)


@pytest.fixture
def claude_rig(new_claude_rig: Callable[[str], Rig]) -> Rig:
    """A rig with a home of its own."""
    return new_claude_rig("rig")
