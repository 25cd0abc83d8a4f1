"""What the wheel installs can wire itself, and what it wired runs as the host runs it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from agentmail.hosts.hooks_file.own_hooks import words_from


@pytest.fixture
def surroundings(installed: Path, tmp_path: Path) -> dict[str, str]:
    """Nothing of the repository is in reach."""
    return {"HOME": str(tmp_path), "PATH": f"{installed / 'bin'}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def run(words: str, surroundings: dict[str, str], cwd: Path, text: str = "") -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", words], cwd=cwd, env=surroundings, input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done
    return done.stdout


def test_the_wheel_wires_its_own_hooks_and_they_run(
    installed: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    run("agentmail register alpha . keeps the ledger", surroundings, tmp_path)
    sent = run("agentmail send alpha alpha a-word", surroundings, tmp_path, "to myself\n").strip()
    told = run("agentmail wire claude-code --wake", surroundings, tmp_path)
    assert told.count("1 message waits for alpha") == 2
    assert "DOES NOT WORK" not in told
    hooks = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]
    (package,) = installed.glob("lib/python*/site-packages/agentmail")
    lines = [one["command"] for groups in hooks.values() for group in groups for one in group["hooks"]]
    assert len(lines) == 6
    for line in lines:
        assert shlex.split(line)[:3] == ["[", "!", "-e"]
        program, *_, python = words_from(line, None) or [""]
        assert Path(program).parent == package / "hooks"
        assert os.access(program, os.X_OK)
        assert Path(python).parent == installed / "bin"
    event = {"session_id": "s1", "hook_event_name": "SessionStart", "cwd": str(tmp_path)}
    assert sent in run(lines[0], surroundings, tmp_path, json.dumps(event))
    found = json.loads(run("agentmail doctor --json", surroundings, tmp_path))["findings"]
    assert [one["level"] for one in found if one["subject"] == "Claude Code"] == ["note"]
    run("agentmail unwire claude-code", surroundings, tmp_path)
    assert not (tmp_path / ".claude").exists()
