"""What a server costs the machine: it runs beside each session, for days."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.rig.waiting import wait_for
from tests.mcp_server.conftest import Connect
from tests.mcp_server.raw_client import RawClient
from tests.support.cli import ROOT, Cli

MEGABYTE = 1 << 20
#: Of the packages that are not ours, a server that waits needs the observer of directories alone.
DEAR = (
    "typer",
    "rich",
    "pydantic",
    "mcp",
    "anyio",
    "asyncio",
    "frontmatter",
    "jsonschema",
    "email",
    "http",
    "ssl",
)

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")


def memory(client: RawClient) -> int:
    """Bytes that are in memory for the process."""
    pages = int(Path(f"/proc/{client.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def descriptors(client: RawClient) -> int:
    return len(os.listdir(f"/proc/{client.process.pid}/fd"))


def descriptors_at_rest(client: RawClient) -> int:
    """Its descriptors once no wait is left: only the thread that reads and the one that answers."""
    tasks = f"/proc/{client.process.pid}/task"
    wait_for(lambda: len(os.listdir(tasks)) == 2, "the threads of waits to end")
    return descriptors(client)


def use_all(client: RawClient) -> None:
    """One call of every kind."""
    client.request("tools/list")
    client.request("resources/list")
    client.request("resources/subscribe", uri="mail://beta/inbox")
    id = client.outcome("send", to="beta", slug="hello", subject="s", text="t")["id"]
    client.outcome("wait", timeout=5, body=True)
    client.outcome("read", id=id)
    client.outcome("thread", thread=id)
    client.outcome("search", words="t")
    client.outcome("check")
    client.outcome("ack", ids=[id])
    client.outcome("archive", ids=[id])


@on_linux
def test_a_server_that_was_used_has_less_than_40_megabytes(beta: RawClient) -> None:
    use_all(beta)
    assert memory(beta) < 40 * MEGABYTE


def test_a_server_loads_no_package_that_it_does_not_need(run: Cli, workdirs: dict[str, Path]) -> None:
    source = (
        "import sys\nfrom agentmail.cli.main import main\nmain(['mcp'])\nprint(*sys.modules, file=sys.stderr)"
    )
    lines = [
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}',
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}',
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "mail_check"}}',
    ]
    done = subprocess.run(
        [sys.executable, "-S", "-c", source],
        input="\n".join(lines),
        env=run.environment(PYTHONPATH=str(ROOT)),
        cwd=workdirs["beta"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.count('"result":{') == 3, done.stderr
    assert set(done.stderr.split()) & set(DEAR) == set()


def rounds(client: RawClient, number: int) -> None:
    """So many times three calls that change the bus, and one that does not."""
    for _ in range(number):
        id = client.outcome("send", to="beta", slug="hello", subject="s", text="t")["id"]
        client.outcome("check")
        client.outcome("read", id=id)
        client.outcome("archive", ids=[id])


def short_waits(client: RawClient, number: int) -> None:
    """Waits that end at once, that are cancelled, and watches that come and go."""
    for _ in range(number):
        client.outcome("wait", timeout=0)
        waiting = client.start("wait", {"progressToken": "t"}, timeout=600)
        client.notify("notifications/cancelled", requestId=waiting)
        client.request("resources/subscribe", uri="mail://beta/inbox")
        client.request("resources/unsubscribe", uri="mail://beta/inbox")
    client.others.clear()


def looks(client: RawClient, number: int) -> None:
    for _ in range(number):
        client.outcome("check")


@on_linux
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("calls", "number"),
    [(looks, 10_000), (rounds, 500), (short_waits, 400)],
    ids=["looks", "rounds", "waits"],
)
def test_a_server_that_lives_long_does_not_grow(
    connect: Connect, calls: Callable[[RawClient, int], None], number: int
) -> None:
    client = connect(AGENT_MAIL_RETENTION_DAYS="off")
    calls(client, number // 10)  # what is loaded once, and what Python keeps for the next call
    before = (memory(client), descriptors_at_rest(client))
    calls(client, number)
    after = (memory(client), descriptors_at_rest(client))
    assert after[1] == before[1]
    assert after[0] - before[0] < 2 * MEGABYTE, (before, after)
