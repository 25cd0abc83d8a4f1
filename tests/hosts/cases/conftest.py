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


#: The hosts of which `./dev check` runs every case, and the case that it runs of the others.
WHOLE = ("claude-code", "opencode")
SMOKE = "test_a_start_and_a_resume_list_all_that_waits"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The other cases are left to `./dev hosts --all`: together they take many minutes."""
    for item in items:
        if isinstance(item, pytest.Function) and "bench" in item.fixturenames:
            host = getattr(item, "callspec").params["bench"]  # noqa: B009 - only a parametrized test has it
            if host not in WHOLE and item.originalname != SMOKE:
                item.add_marker(pytest.mark.full)


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
