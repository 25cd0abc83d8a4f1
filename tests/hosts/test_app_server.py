"""Codex's app server: whatever it does, nothing of it is left running or open when we are done with it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.errors import TryAgain
from agentmail.hosts.codex.app_server import AppServer


@pytest.mark.parametrize("answer", ["", "no JSON", '{"id": 1, "error": "not now"}'])
def test_a_codex_that_fails_at_once_leaves_no_thread_and_no_descriptor(tmp_path: Path, answer: str) -> None:
    program = tmp_path / "codex"
    program.write_text(f"#!/bin/sh\nread line\necho '{answer}'\n")
    program.chmod(0o755)
    threads, descriptors = threading.active_count(), os.listdir("/proc/self/fd")
    with (
        pytest.raises(TryAgain, match="Codex does not answer"),
        AppServer(str(program), Environment({}, "/")),
    ):
        pass
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == len(descriptors)
