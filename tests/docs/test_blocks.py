"""Run the code blocks of README.md and docs/ in order, in an empty home, and compare the output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Command, commands, comparable, run

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_runs_and_prints_the_documented_output(document: Path, tmp_path: Path) -> None:
    found = commands(document.read_text(encoding="utf-8"))
    done = run(found, tmp_path, f"{Path(sys.executable).parent}:{os.defpath}")
    assert len(done) == len(found), f"the shell ended early: {done[-1:]}"
    for command, (code, output) in zip(found, done, strict=True):
        assert "Traceback" not in output
        assert code == 0, f"{command.text}\nexit {code}: {output}"
        if command.shown is not None:
            assert comparable(output, tmp_path) == comparable(command.shown), command.text


def test_doctor_finds_no_problem_after_the_steps_of_the_readme(tmp_path: Path) -> None:
    found = commands((ROOT / "README.md").read_text(encoding="utf-8"))
    done = run(
        [*found, Command("agentmail doctor", None)], tmp_path, f"{Path(sys.executable).parent}:{os.defpath}"
    )
    assert done[-1][0] == 0, done[-1][1]


def test_the_readme_has_blocks_and_at_most_200_lines() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(commands(text)) >= 14
    assert len(text.splitlines()) <= 200
