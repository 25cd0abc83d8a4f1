"""Which file `wire` writes, and when it refuses because every notice would come twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from agentmail.hosts.claude_code.host import PLUGIN
from tests.support.cli import ROOT
from tests.support.trees import tree
from tests.support.wiring import EVENTS, HOOKS, Home, group

PLUGIN_ON = {"enabledPlugins": {"agent-mail@somewhere": True, "other@market": True}}


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


def refused(home: Home, *words: str) -> str:
    """The one line of a refusal that has left everything as it was."""
    before = tree(home.root)
    ran = home(*words)
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran
    assert tree(home.root) == before
    return ran.err


def test_the_hosts_own_variable_moves_the_users_settings(home: Home) -> None:
    elsewhere = home.root / "elsewhere"
    elsewhere.mkdir()
    home.wire(CLAUDE_CONFIG_DIR=f"{elsewhere}/")
    assert home.commands(elsewhere / "settings.json")
    assert not home.config.exists()
    home.unwire(CLAUDE_CONFIG_DIR=str(elsewhere))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("value", ["", ".claude", "~/.claude"])
def test_a_variable_that_is_not_an_absolute_path_is_refused(home: Home, value: str) -> None:
    ran = home("wire", CLAUDE_CONFIG_DIR=value)
    assert (ran.code, "CLAUDE_CONFIG_DIR" in ran.err) == (2, True)


def test_a_config_directory_without_its_parent_is_refused(home: Home) -> None:
    ran = home("wire", CLAUDE_CONFIG_DIR=str(home.root / "no" / "where"))
    assert (ran.code, f"there is no directory {home.root / 'no'}" in ran.err) == (2, True)
    assert not (home.root / "no").exists()


@pytest.mark.parametrize("given", [".", "../project", "{project}", "{project}/"])
def test_a_project_is_wired_in_its_own_file_and_the_answer_says_who_reads_it(home: Home, given: str) -> None:
    before = tree(home.root)
    words = "--project", given.format(project=home.project)
    ran = home.wire(*words)
    assert ran.lines[0].startswith(f"wired {home.project_settings} ")
    assert "not those in its subdirectories, nor in git worktrees" in ran.lines[-1]
    assert len(home.commands(home.project_settings)) == 3
    assert not home.config.exists()
    home.unwire(*words)
    assert tree(home.root) == before


def test_a_project_is_refused_if_the_user_is_wired(home: Home) -> None:
    home.wire()
    same = "is wired already, for every directory: the commands are the same, and run once;"
    assert same in refused(home, "wire", "--project", ".")
    other = home.settings.read_text().replace(sys.executable, f"{sys.executable} ")
    home.put(other)
    assert "for every directory: every notice would come twice;" in refused(home, "wire", "--project", ".")
    assert "is wired already" in refused(home, "wire", "--project", ".", "--dry-run")
    home.unwire()
    home.wire("--project", ".")


def test_the_user_is_wired_beside_a_wired_project_with_a_warning(home: Home) -> None:
    home.wire("--project", ".")
    ran = home.wire()
    what = f"{home.project_settings} has our hooks too: in sessions started there"
    assert f"{what} the commands are the same, and run once" in ran.err
    text = home.project_settings.read_text()
    home.put(text.replace(sys.executable, f"{sys.executable} "), home.project_settings)
    assert f"{what} every notice would come twice" in home.wire().err
    assert home.wire("--json").json["warnings"]


@pytest.mark.parametrize("given, why", [("nowhere", "is not a directory"), ("", "is not a directory")])
def test_a_project_that_is_not_a_directory_is_refused(home: Home, given: str, why: str) -> None:
    assert why in refused(home, "wire", "--project", given)
    assert why in refused(home, "unwire", "--project", given)


def test_the_home_directory_is_not_accepted_as_a_project(home: Home) -> None:
    assert "leave out --project" in refused(home, "wire", "--project", str(home.home))


def test_with_user_settings_that_are_not_understood_a_project_is_refused(
    home: Home,
) -> None:
    home.put("{")
    assert str(home.settings) in refused(home, "wire", "--project", ".")


def test_project_settings_that_are_not_understood_do_not_keep_the_user_from_being_wired(home: Home) -> None:
    home.put("{", home.project_settings)
    assert str(home.project_settings) in home.wire().err


# --- the plugin ------------------------------------------------------------------------------------------------


def test_the_plugin_is_recognised_by_its_name() -> None:
    assert json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["name"] == PLUGIN


def test_with_the_plugin_switched_on_nothing_is_wired(home: Home) -> None:
    home.put(PLUGIN_ON)
    for words in ((), ("--dry-run",), ("--project", "."), ("--wake",)):
        line = refused(home, "wire", *words)
        assert "the plugin agent-mail@somewhere is switched on" in line
        assert "claude plugin uninstall agent-mail@somewhere" in line


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_plugin_of_one_project_alone_keeps_that_project_from_being_wired(home: Home, name: str) -> None:
    home.put(PLUGIN_ON, home.project / ".claude" / name)
    assert "is switched on" in refused(home, "wire", "--project", ".")
    assert "every notice would come twice" in home.wire().err


def test_a_plugin_that_is_switched_off_is_a_warning(home: Home) -> None:
    home.put({"enabledPlugins": {"agent-mail@somewhere": False}})
    assert "switched off" in home.wire().err


@pytest.mark.parametrize(
    "plugins", [{"mail@agent-mail": True}, {"agent-mail-2@x": True}, [], None, "agent-mail"]
)
def test_other_plugins_are_not_ours(home: Home, plugins: object) -> None:
    home.put({"enabledPlugins": plugins})
    assert "plugin" not in home.wire().err


def test_hooks_that_are_switched_off_altogether_are_a_warning(home: Home) -> None:
    home.put({"disableAllHooks": True})
    assert f"{home.settings} says disableAllHooks, so no hook runs" in home.wire().err


# --- the dry run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [None, b"", b"{}", b'{\r\n  "a": 1\r\n}', b'{\n  "a": 1,\n  "hooks": {"Stop": []}\n}\n']
)
@pytest.mark.parametrize("words", [(), ("--wake",)])
def test_the_dry_run_touches_nothing_and_its_diff_is_what_wiring_does(
    home: Home, data: bytes | None, words: tuple[str, ...]
) -> None:
    if data is not None:
        home.put(data)
    before = tree(home.root)
    ran = home("wire", "--dry-run", *words)
    found = home("wire", "--dry-run", "--json", *words).json["hosts"][0]
    assert (ran.code, tree(home.root)) == (0, before)
    assert (found["outcome"], found["tried"]) == ("would-wire", [])
    assert ran.lines[-1] == f"{home.settings}: nothing was changed"
    home.wire(*words)
    after = home.settings.read_bytes().decode().split("\n")
    assert patched((data or b"").decode().split("\n"), found["diff"]) == after


def patched(old: list[str], diff: str) -> list[str]:
    """The lines after a unified diff of a file that is shown in it from its first changed line's context on."""
    body = [line for line in diff.split("\n")[2:] if not line.startswith("\\")]
    starts = [int(line.split()[1].split(",")[0][1:]) for line in body if line.startswith("@@")]
    kept = [line[1:] for line in body if line[:1] in (" ", "-")]
    new = [line[1:] for line in body if line[:1] in (" ", "+")]
    assert len(starts) == 1
    first = max(0, starts[0] - 1)
    assert old[first : first + len(kept)] == kept
    return (
        [*old[:first], *new, *old[first + len(kept) :]] if kept else [*new, *([] if new[-1] == "" else [""])]
    )


def test_the_dry_run_of_what_is_wired_has_nothing_to_show(home: Home) -> None:
    home.wire()
    before = tree(home.root)
    found = home("wire", "--dry-run", "--json").json["hosts"][0]
    assert (found["outcome"], found["diff"]) == ("already-wired", "")
    assert [one["event"] for one in found["entries"]] == EVENTS
    assert tree(home.root) == before


# --- the link to the command -----------------------------------------------------------------------------------


@pytest.fixture
def link(home: Home) -> Path:
    """Where the link to the command would be."""
    folder = home.home / ".local" / "bin"
    folder.mkdir(parents=True)
    return folder / "agentmail"


def test_the_link_that_a_session_made_is_removed_with_the_entries(home: Home, link: Path) -> None:
    home.wire()
    link.symlink_to(ROOT / "bin" / "agentmail")
    assert home.unwire().lines[-1] == f"removed {link}"
    assert not link.is_symlink()


def test_the_link_of_a_deleted_installation_is_removed_with_its_entries(home: Home, link: Path) -> None:
    home.put({"hooks": {"SessionStart": [group("exec '/gone/a b/hooks/mail-check' SessionStart")]}})
    link.symlink_to("/gone/a b/bin/agentmail")
    assert home.unwire("--json").json["hosts"][0]["link"] == str(link)
    assert not link.is_symlink()


@pytest.mark.parametrize("target", ["venv/bin/agentmail", "../share/uv/tools/agentmail-bus/bin/agentmail"])
def test_a_link_that_an_installer_made_stays(home: Home, link: Path, target: str) -> None:
    home.wire()
    link.symlink_to(target)
    assert len(home.unwire().lines) == 1
    assert link.is_symlink()


def test_a_program_in_place_of_the_link_stays(home: Home, link: Path) -> None:
    home.wire()
    link.write_text("#!/bin/sh\n")
    home.unwire()
    assert link.read_text() == "#!/bin/sh\n"


def test_the_link_stays_while_another_level_still_runs_our_hooks(home: Home, link: Path) -> None:
    home.wire("--project", ".")
    home.wire()
    link.symlink_to(ROOT / "bin" / "agentmail")
    assert home.unwire("--json").json["hosts"][0]["link"] == ""
    assert home.unwire("--project", ".", "--json").json["hosts"][0]["link"] == str(link)


def test_hooks_json_is_the_source_of_what_is_wired(home: Home) -> None:
    home.wire("--wake")
    found = home.load()["hooks"]
    for name in ("hooks.json", "hooks/wake.json"):
        for event, groups in json.loads((ROOT / name).read_text())["hooks"].items():
            for wanted in groups:
                hook = wanted["hooks"][0]
                words = hook["command"].replace('"${CLAUDE_PLUGIN_ROOT}/hooks', str(HOOKS)).replace('"', "")
                same = [
                    one
                    for one in found[event]
                    if {**one, "hooks": 0} == {**wanted, "hooks": 0}
                    and f" || {words} " in one["hooks"][0]["command"]
                ]
                assert len(same) == 1
                assert same[0]["hooks"][0] == {**hook, "command": same[0]["hooks"][0]["command"]}
