"""Fixtures: a bench for each host whose client is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.rig.clients import CLIENTS

from .bench import Bench
from .claude_code import ClaudeCodeBench
from .opencode import OpencodeBench
from .pi import PiBench

BENCHES: dict[str, type[Bench]] = {bench.host: bench for bench in (ClaudeCodeBench, OpencodeBench, PiBench)}


@pytest.fixture(params=BENCHES)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """A bench; the test is skipped, with the reason, where the host cannot do the case or is not installed."""
    kind = BENCHES[request.param]
    case = request.function.__name__.removeprefix("test_")
    if case in kind.cannot:
        pytest.skip(f"{kind.host} cannot: {kind.cannot[case]}")
    client = CLIENTS[kind.host].find()
    if client is None:
        pytest.skip(CLIENTS[kind.host].missing)
    return kind(client, tmp_path / "bench")
