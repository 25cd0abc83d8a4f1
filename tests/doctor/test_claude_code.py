"""Doctor says where our hooks are wired, what is wrong with that, and whether they fire."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import ROOT, Cli
from tests.support.trees import tree
from tests.support.wiring import HOOKS, Home, group


@pytest.fixture
def home(quick_path: Path) -> Home:
    home = Home(quick_path)
    cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None)
    assert cli("register", "beta", str(home.project), "takes", "part").code == 0
    return home


def findings(home: Home, **how: Any) -> list[tuple[str, str, str]]:
    """What doctor finds about the host: level, what, fix. Looking changes nothing."""
    before = [tree(place) for place in (home.bus, home.config, home.project)]
    ran = home("doctor", "--json", **how)
    assert [tree(place) for place in (home.bus, home.config, home.project)] == before
    found = [
        (one["level"], one["what"], one["fix"])
        for one in ran.json["findings"]
        if one["subject"] == "Claude Code"
    ]
    assert ran.code == (1 if any(level == "problem" for level, _, _ in found) else 0)
    assert all(fix for _, _, fix in found)
    return found


def problems(home: Home, **how: Any) -> list[tuple[str, str]]:
    return [(what, fix) for level, what, fix in findings(home, **how) if level == "problem"]


def replace(home: Home, old: str, new: str) -> None:
    text = home.settings.read_text()
    assert old in text
    home.settings.write_text(text.replace(old, new))


def test_where_the_host_was_never_used_there_is_nothing_to_say(home: Home) -> None:
    assert findings(home) == []


@pytest.mark.parametrize("data", [None, {}, {"hooks": {"Stop": [group("x")]}}])
def test_that_nothing_is_wired_is_a_note(home: Home, data: dict[str, Any] | None) -> None:
    home.config.mkdir()
    if data is not None:
        home.put(data)
    assert findings(home) == [
        ("note", "no hooks are wired, so sessions are not told of mail", "`agentmail wire claude-code`")
    ]


def test_what_is_wired_fires_and_says_what_it_would_say(home: Home) -> None:
    home.wire()
    ((level, what, _),) = findings(home)
    assert (level, what) == ("note", f"wired in {home.settings}, and fires (nothing to say here)")
    cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None)
    assert cli("send", "beta", "beta", "hello", stdin="text\n").code == 0
    assert findings(home)[0][1].endswith("and fires (agentmail: 1 message waits for beta)")


def test_a_project_is_looked_at_from_its_own_directory_alone(home: Home) -> None:
    home.wire("--project", ".")
    assert "wired in" in findings(home)[0][1]
    assert findings(home, cwd=home.root) == []


def test_hooks_that_are_gone_are_a_problem(home: Home) -> None:
    home.wire()
    replace(home, str(HOOKS), "/gone/hooks")
    gone = "names hooks that are gone or cannot be run: /gone/hooks/mail-check, /gone/hooks/mail-guard"
    assert problems(home) == [(f"{home.settings} {gone}", "`agentmail wire claude-code`")]
    assert not any("fires" in what for _, what, _ in findings(home))
    home.wire()
    assert problems(home) == []


def test_hooks_that_are_gone_from_entries_that_would_say_so_at_every_prompt_do_not_fire(home: Home) -> None:
    home.put({"hooks": {"SessionStart": [group("exec /gone/hooks/mail-check SessionStart")]}})
    found = [what for what, _ in problems(home)]
    assert any("is wired and does not fire: exit 127" in what for what in found)


def test_a_python_that_is_gone_is_a_problem_though_the_hooks_find_another(home: Home) -> None:
    home.wire("--project", ".")
    home.put(home.project_settings.read_text().replace(sys.executable, "/gone/python"), home.project_settings)
    ((what, fix),) = problems(home)
    assert "names a Python that is gone" in what
    assert "/gone/python" in what
    assert fix == f"`agentmail wire claude-code --project {shlex.quote(str(home.project))}`"


def test_the_hooks_of_another_installation_are_a_note(home: Home) -> None:
    other = home.root / "other"
    (other / "hooks").mkdir(parents=True)
    for name in ("mail-check", "mail-guard"):
        (other / "hooks" / name).symlink_to(HOOKS / name)
    (other / "hooks" / "run").symlink_to(HOOKS / "run")
    (other / "agentmail").symlink_to(ROOT / "agentmail")
    home.wire()
    replace(home, str(HOOKS), str(other / "hooks"))
    found = findings(home)
    assert ("note", f"{home.settings} runs the hooks of another installation: {other}") in [
        one[:2] for one in found
    ]
    assert [one for one in found if one[0] == "problem"] == []


def test_an_entry_that_is_missing_or_there_twice_is_a_problem(home: Home) -> None:
    home.wire()
    found = home.load()
    found["hooks"]["SessionStart"] += found["hooks"].pop("UserPromptSubmit")
    found["hooks"]["PreToolUse"][0]["matcher"] = "Bash"
    found["hooks"]["SessionStart"].append(found["hooks"]["SessionStart"][0])
    home.put(found)
    lacks, doubled = (what for what, _ in problems(home))
    missing = "mail-check at UserPromptSubmit, mail-guard at PreToolUse, or has it with another matcher"
    assert lacks == f"{home.settings} lacks {missing}"
    assert doubled == f"{home.settings} runs more than once: mail-check at SessionStart"
    home.wire()
    assert problems(home) == []


def test_settings_and_a_plugin_are_twice(home: Home) -> None:
    home.wire()
    home.put({**home.load(), "enabledPlugins": {"agent-mail@here": True}})
    ((what, fix),) = problems(home)
    assert "and a plugin too: every notice comes twice" in what
    assert "claude plugin uninstall agent-mail@here" in fix
    home.put({"enabledPlugins": {"agent-mail@here": True}})
    home("unwire")
    assert [one[:2] for one in findings(home)] == [
        ("note", f"hooks come with the plugin agent-mail@here ({home.settings})")
    ]


def test_a_user_and_a_project_are_twice_where_the_commands_differ(home: Home) -> None:
    home.wire("--project", ".")
    home.wire()
    assert problems(home) == []
    paths = f"{home.settings} and {home.project_settings}"
    assert f"wired in {paths}: the commands are the same, and run once" in [one[1] for one in findings(home)]
    text = home.project_settings.read_text()
    home.put(text.replace(sys.executable, f"{sys.executable} "), home.project_settings)
    ((what, fix),) = problems(home)
    assert "notices come twice in sessions started here" in what
    assert "agentmail unwire" in fix


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_hooks_that_are_switched_off_are_a_problem(home: Home, name: str) -> None:
    home.wire()
    path = home.put({"disableAllHooks": True}, home.project / ".claude" / name)
    assert problems(home) == [(f"{path} says disableAllHooks, so no hook runs", "remove that setting")]
    assert not any("fires" in what for _, what, _ in findings(home))


def test_entries_that_another_program_took_out_are_a_problem(home: Home) -> None:
    home.put({"a": 1})
    home.wire()
    home.put({"a": 2})
    ((what, fix),) = problems(home)
    assert what == f"{home.settings} was wired, and another program has removed our entries from it"
    assert fix == "`agentmail wire claude-code`, or `agentmail unwire claude-code` if that was meant"
    home.unwire()
    assert problems(home) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, {}),
        (None, {"hooks": {}}),
        (None, {"hooks": {"SessionStart": [], "UserPromptSubmit": [{"hooks": []}], "PreToolUse": []}}),
        ({"a": 1}, {"a": 1}),
        ({"a": 1, "b": [], "hooks": {"Stop": [group("x")]}}, {"hooks": {"Stop": [group("x")]}, "a": 1}),
    ],
)
def test_entries_that_were_removed_by_hand_are_no_problem(
    home: Home, before: dict[str, Any] | None, after: dict[str, Any]
) -> None:
    if before is not None:
        home.put(before)
    home.wire()
    home.put(after)
    assert findings(home) == [
        ("note", "no hooks are wired, so sessions are not told of mail", "`agentmail wire claude-code`")
    ]
    home.wire()
    assert problems(home) == []
    home.unwire()
    assert findings(home)[0][0] == "note"


def test_settings_that_are_not_understood_are_a_problem_and_the_others_are_looked_at(home: Home) -> None:
    home.put("{")
    start = group(f"exec {HOOKS}/mail-check SessionStart")
    home.put({"hooks": {"SessionStart": [start]}}, home.project_settings)
    found = problems(home)
    assert str(home.settings) in found[0][0]
    assert "lacks" in found[1][0]
