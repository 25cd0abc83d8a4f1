"""Fixtures: each host whose client is installed, with our server added."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.rig.clients import CLIENTS

from .hosts import HOSTS, WithMail


def made(kind: type[WithMail], root: Path) -> WithMail:
    """A bench, or a skip with the reason."""
    client = CLIENTS[kind.host].find()
    if client is None:
        pytest.skip(CLIENTS[kind.host].missing)
    bench = kind(client, root)
    bench.add()
    return bench


@pytest.fixture(params=HOSTS, ids=lambda kind: kind.host)
def mailing(request: pytest.FixtureRequest, tmp_path: Path) -> WithMail:
    return made(request.param, tmp_path / "bench")
