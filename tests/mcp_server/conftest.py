"""Fixtures: a bus with alpha and beta, each with a workdir, and connections to servers in these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.mcp_server.raw_client import RawClient
from tests.support.cli import Cli

Connect = Callable[..., RawClient]


@pytest.fixture
def workdirs(run: Cli, tmp_path: Path) -> dict[str, Path]:
    """The workdirs of alpha and beta, which are registered."""
    found = {}
    for identity in ("alpha", "beta"):
        found[identity] = tmp_path / f"work-{identity}"
        found[identity].mkdir()
        assert run("register", identity, str(found[identity]), "takes", "part").code == 0
    return found


@pytest.fixture
def connect(run: Cli, workdirs: dict[str, Path]) -> Iterator[Connect]:
    """Start a server in the workdir of an identity, or elsewhere, and begin a session with it."""
    made: list[RawClient] = []

    def connect(
        where: str | Path = "beta",
        *,
        begin: bool = True,
        capabilities: dict | None = None,
        **variables: str | None,
    ) -> RawClient:
        cwd = where if isinstance(where, Path) else workdirs[where]
        made.append(RawClient(run, cwd, **variables))
        if begin:
            made[-1].initialize(**(capabilities or {}))
        return made[-1]

    yield connect
    for client in made:
        client.close()


@pytest.fixture
def beta(connect: Connect) -> RawClient:
    return connect("beta")
