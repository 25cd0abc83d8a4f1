"""`wire` completes our entries in a settings file and nothing else; `unwire` leaves it as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.hosts.test_settings import BARE, EMPTIED, any_files, unwired_files
from tests.support.trees import tree
from tests.support.wiring import EVENTS, HOOKS, Home, group


def line(program: str, *words: str) -> str:
    """The command of an entry, which is silent where its program is gone."""
    return f"[ ! -e {HOOKS}/{program} ] || exec {' '.join([f'{HOOKS}/{program}', *words, sys.executable])}"


OURS = [
    ("SessionStart", line("mail-check", "SessionStart")),
    ("UserPromptSubmit", line("mail-check", "UserPromptSubmit")),
    ("PreToolUse", line("mail-guard")),
]


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


def same(path: Path) -> tuple[int, int, bytes]:
    """A file that was not even written anew."""
    info = path.stat()
    return info.st_ino, info.st_mtime_ns, path.read_bytes()


# --- files that are there, empty, or not there ---------------------------------------------------------------


def test_a_missing_file_is_created_private_and_removed_again(home: Home) -> None:
    before = tree(home.home)
    ran = home.wire()
    assert ran.lines[0] == f"wired {home.settings} ({', '.join(EVENTS)})"
    assert home.commands() == OURS
    assert stat.S_IMODE(home.settings.stat().st_mode) == 0o600
    ran = home.unwire()
    assert ran.lines == [f"{home.settings} is as it was before wire"]
    assert tree(home.home) == before


def test_an_existing_directory_stays_when_the_file_is_removed(home: Home) -> None:
    home.config.mkdir()
    home.wire()
    home.unwire()
    assert list(home.config.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\t", *BARE, *EMPTIED, b'\xef\xbb\xbf{"a": 1}'])
def test_an_empty_file_is_filled_and_restored_byte_for_byte(home: Home, data: bytes) -> None:
    home.put(data)
    home.wire()
    assert all(json.dumps(command)[1:-1].encode() in home.settings.read_bytes() for _, command in OURS)
    home.unwire()
    assert home.settings.read_bytes() == data


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=unwired_files)
def test_wire_then_unwire_restores_any_file_byte_for_byte(home: Home, data: bytes) -> None:
    home.put(data)
    home.wire()
    assert home.settings.read_bytes() != data
    home.unwire()
    assert home.settings.read_bytes() == data
    assert set(os.listdir(home.config)) == {"settings.json"}


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=any_files)
def test_wiring_again_writes_nothing(home: Home, data: bytes) -> None:
    home.put(data)
    home.wire()
    once = same(home.settings)
    ran = home.wire()
    assert ran.lines[0].startswith("already wired ")
    assert same(home.settings) == once
    home.unwire()
    assert b"/hooks/mail-" not in home.settings.read_bytes().replace(b"hooks/mail-check.log", b"")


# --- files that are refused ------------------------------------------------------------------------------------

REFUSED = [
    b"{",
    b"{'a': 1}",
    b'{"a": 1,}',
    b'{\n  "a": 1, // mine\n  "b": 2\n}',
    b"/* mine */ {}",
    b"\xef\xbb\xbf",
    b"[]",
    b'{"a": 1, "a": 2}',
    b'{"a": "\xff"}',
    b'{"hooks": []}',
    b'{"hooks": null}',
    b'{"hooks": "x"}',
    b'{"hooks": {"Stop": {}}}',
    b'{"hooks": {"SessionStart": [{"matcher": 1, "hooks": []}]}}',
]


@pytest.mark.parametrize("data", REFUSED)
@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_a_file_that_is_not_understood_is_unchanged_and_the_snippet_is_printed(
    home: Home, data: bytes, words: tuple[str, ...]
) -> None:
    home.put(data)
    before, file = tree(home.home), same(home.settings)
    ran = home("wire", *words)
    assert ran.code == 2
    assert str(home.settings) in ran.err
    assert "nothing was changed" in ran.err
    assert ran.err.count("\n") == 1
    pasted = json.loads(ran.out)["hooks"]
    assert [one["command"] for event in pasted for one in pasted[event][0]["hooks"]] == [c for _, c in OURS]
    assert (tree(home.home), same(home.settings)) == (before, file)
    ran = home("unwire")
    assert (ran.code, ran.out) == (2, "")
    assert (tree(home.home), same(home.settings)) == (before, file)


def test_the_refusal_as_json_holds_the_path_and_the_snippet(home: Home) -> None:
    home.put(b"// mine\n{}")
    found = home("wire", "--json").json
    assert (found["schema"], found["outcome"], found["path"]) == (
        "agentmail.error.v1",
        "refused",
        str(home.settings),
    )
    assert set(json.loads(found["snippet"])["hooks"]) == set(EVENTS)


def test_a_directory_or_a_fifo_in_place_of_the_file_is_refused(home: Home) -> None:
    home.settings.mkdir(parents=True)
    assert home("wire").code in (2, 75)
    home.settings.rmdir()
    os.mkfifo(home.settings)
    ran = home("wire")
    assert (ran.code, "not a regular file" in ran.err) == (2, True)
    assert stat.S_ISFIFO(home.settings.stat().st_mode)


# --- entries that are there ------------------------------------------------------------------------------------


def test_entries_with_an_old_path_change_only_their_commands(home: Home) -> None:
    home.wire()
    now = home.settings.read_text()
    old = now.replace(str(HOOKS), "/opt/old/hooks").replace(sys.executable, "/opt/old/python")
    home.put(old)
    assert home.wire().lines[0].startswith("wired ")
    assert home.settings.read_text() == now


def test_entries_wired_by_hand_are_recognised_completed_and_removed(home: Home) -> None:
    theirs = group("~/bin/mine.sh", "python3 ~/agentmail/hooks/mail-check.py UserPromptSubmit")
    home.put({"hooks": {"UserPromptSubmit": [theirs]}, "model": "x"})
    home.wire()
    found = home.load()
    assert sorted(home.commands()) == sorted([*OURS, ("UserPromptSubmit", "~/bin/mine.sh")])
    assert len(found["hooks"]["UserPromptSubmit"]) == 1
    ran = home.unwire()
    assert ran.lines[0].startswith("unwired ")
    assert home.load() == {"hooks": {"UserPromptSubmit": [group("~/bin/mine.sh")]}, "model": "x"}
    assert set(os.listdir(home.config)) == {"settings.json"}


def test_the_hooks_of_others_in_the_same_events_keep_their_order_and_come_first(home: Home) -> None:
    others = {event: [group(f"first {event}"), group(f"second {event}", matcher="Bash")] for event in EVENTS}
    home.put({"hooks": others})
    home.wire()
    found = home.load()["hooks"]
    assert {event: found[event][:2] for event in EVENTS} == others
    assert [len(found[event]) for event in EVENTS] == [3, 3, 3]


def test_a_group_without_a_matcher_is_accepted(home: Home) -> None:
    home.put({"hooks": {"PreToolUse": [group("x")]}})
    home.wire()
    assert ("PreToolUse", "x") in home.commands()


def test_wake_is_wired_on_request_kept_and_completed_afterwards(home: Home) -> None:
    before = home.put({"a": 1}).read_bytes()
    assert len(home.wire("--wake").lines) == 7
    wired = home.settings.read_text()
    found = home.load()["hooks"]
    assert found["FileChanged"] == [
        {
            "hooks": [
                {
                    "type": "command",
                    "command": line("mail-wake", "FileChanged"),
                    "asyncRewake": True,
                    "timeout": 5,
                }
            ]
        }
    ]
    assert set(found) == {*EVENTS, "CwdChanged", "FileChanged"}
    home.settings.write_text(
        wired.replace(f"{HOOKS}/mail-wake CwdChanged", "/old/hooks/mail-wake CwdChanged")
    )
    home.wire()
    assert home.settings.read_text() == wired
    home.unwire()
    assert home.settings.read_bytes() == before
