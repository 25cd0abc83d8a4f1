"""The command line of the MCP inspector, a client in another language, against the server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentmail.mcp.tools import TOOLS
from tests.hosts.rig.clients import CLIENTS
from tests.support.cli import ROOT, Cli

pytestmark = [pytest.mark.hosts, pytest.mark.timeout(200)]


def inspect(run: Cli, cwd: Path, *words: str) -> dict[str, Any]:
    """What the inspector prints for one method."""
    client = CLIENTS["mcp-inspector"].find()
    if client is None:
        pytest.skip(CLIENTS["mcp-inspector"].missing)
    command = [str(client), "--cli", str(ROOT / "bin" / "agentmail"), "mcp", *words]
    environment = run.environment(PATH=os.environ.get("PATH", os.defpath))
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_inspector_lists_calls_and_reads(run: Cli, tmp_path: Path) -> None:
    here = tmp_path / "beta"
    here.mkdir()
    for identity in ("alpha", "beta"):
        assert run("register", identity, str(tmp_path / identity), "takes", "part").code == 0
    tools = inspect(run, here, "--method", "tools/list")["tools"]
    assert [one["name"] for one in tools] == [f"mail_{verb}" for verb in TOOLS]
    words = ("to=alpha", "slug=hello", "subject=Hello", "text=Is it?")
    arguments = [word for one in words for word in ("--tool-arg", one)]
    sent = inspect(run, here, "--method", "tools/call", "--tool-name", "mail_send", *arguments)
    assert sent["structuredContent"]["outcome"] == "delivered"
    assert run("check", "alpha", "--json").json["count"] == 1
    failed = inspect(run, here, "--method", "tools/call", "--tool-name", "mail_read", "--tool-arg", "id=none")
    assert failed["isError"]
    listed = inspect(run, here, "--method", "resources/list")["resources"]
    assert [one["uri"] for one in listed] == ["mail://beta/inbox"]
    read = inspect(run, here, "--method", "resources/read", "--uri", "mail://beta/inbox")
    assert "beta: no mail" in read["contents"][0]["text"]
