"""Codex's app server: a program that answers wrongly, or not at all, leaves no process and no open pipe behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentmail.core.environment import Environment
from agentmail.core.errors import TryAgain
from agentmail.hosts.codex.app_server import AppServer

ENDED = "exit 0"
REFUSING = """read line; echo '{"id": 1, "error": {"message": "no"}}'; exec cat >/dev/null"""
WITH_JUNK = "read line; echo junk; exit 1"


@pytest.mark.parametrize("program", [ENDED, REFUSING, WITH_JUNK], ids=["ended", "refusing", "junk"])
def test_a_start_that_fails_leaves_nothing_behind(tmp_path: Path, program: str) -> None:
    codex = tmp_path / "codex"
    codex.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/pid\n{program}\n")
    codex.chmod(0o755)
    server = AppServer(str(codex), Environment({"PATH": "/usr/bin:/bin"}, str(tmp_path)))
    with pytest.raises(TryAgain), server:
        pass
    process: Any = server._process
    assert process.stdin.closed
    assert process.stdout.closed
    assert process.returncode is not None
