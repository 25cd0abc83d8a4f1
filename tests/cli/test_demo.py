"""The demo: the same story everywhere, and nothing of it stays."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.post import the_line
from tests.support.cli import Cli
from tests.support.trees import tree


def test_the_demo_leaves_nothing_behind(run: Cli, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    before = tree(tmp_path)
    ran = run("demo", env={"AGENT_MAIL_DIR": None, "TMPDIR": str(place)})
    assert (ran.code, ran.err) == (0, "")
    assert tree(tmp_path) == before


def test_the_variables_of_the_users_bus_do_not_change_the_demo(run: Cli) -> None:
    odd: dict[str, str | None] = dict.fromkeys(
        (
            "AGENT_MAIL_DIR",
            "AGENT_MAIL_SELF",
            "AGENT_MAIL_SESSION",
            "AGENT_MAIL_MACHINE",
            "AGENT_MAIL_RETENTION_DAYS",
            "CLAUDE_CODE_SESSION_ID",
        ),
        "no such thing",
    )
    plain, odder = run("demo", "--json").json, run("demo", "--json", env=odd).json
    assert "warning" not in str(odder)
    assert [step["command"].split()[1] for step in odder["steps"]] == [
        step["command"].split()[1] for step in plain["steps"]
    ]
    assert len(odder["tree"]) == len(plain["tree"])


def test_a_step_that_fails_ends_the_demo_in_one_line(run: Cli, tmp_path: Path) -> None:
    place = tmp_path / "two\nlines"
    place.mkdir()
    ran = run("demo", env={"TMPDIR": str(place)})
    assert (ran.code, ran.out) == (75, "")
    assert "`agentmail register` failed: the workdir" in the_line(ran)
    assert not list(place.iterdir())
