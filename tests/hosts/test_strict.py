"""`wire --strict`: the host's own guard of the bus, byte for byte there and back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.wiring import Home

ALLOW = b'{\n  "permissions": {\n    "allow": ["Bash(ls)"]\n  }\n}\n'
OTHERS = b'{"permissions": {"deny": ["Edit(//etc/**)"], "allow": []}, "model": "x"}'
EMPTY = [
    b"",
    b"{}",
    b'{"permissions": {}}',
    b'{"permissions": {"deny": []}}\n',
    b'{\n  "permissions": {\n    "deny": [\n    ]\n  }\n}',
]


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


@pytest.mark.parametrize("data", [*EMPTY, ALLOW, OTHERS])
def test_the_rule_is_added_once_last_and_removed_again(home: Home, data: bytes) -> None:
    home.put(data)
    home.wire("--strict")
    rule = f"Edit(/{home.bus}/**)"
    assert home.load()["permissions"]["deny"][-1] == rule
    once = home.settings.read_bytes()
    assert home.wire("--strict").lines[0].startswith("already wired ")
    assert home.wire().lines[0].startswith("already wired ")
    assert home.settings.read_bytes() == once
    home.unwire()
    assert home.settings.read_bytes() == data


@pytest.mark.parametrize("data", [ALLOW, OTHERS, b'{"permissions": {"deny": []}}\n'])
def test_where_others_changed_the_file_only_the_rule_and_the_entries_go(home: Home, data: bytes) -> None:
    home.put(data)
    home.wire("--strict")
    home.settings.write_bytes(home.settings.read_bytes() + b"\n")
    os.utime(home.settings, (1_000_000_000, 1_000_000_000))
    assert home.unwire().lines[0].startswith("unwired ")
    assert home.settings.read_bytes() == data + b"\n"


def test_the_rule_alone_is_removed_too(home: Home) -> None:
    home.put(ALLOW)
    home.wire("--strict")
    found = home.load()
    del found["hooks"]
    home.put(found)
    home.unwire()
    assert home.load() == json.loads(ALLOW)


def test_permissions_of_another_shape_are_refused_and_unchanged(home: Home) -> None:
    for data in (b'{"permissions": []}', b'{"permissions": {"deny": "x"}}'):
        home.put(data)
        assert home("wire", "--strict").code == 2
        assert home.settings.read_bytes() == data


def test_a_bus_whose_path_a_rule_cannot_spell_is_refused(home: Home) -> None:
    home.put(ALLOW)
    ran = home("wire", "--strict", AGENT_MAIL_DIR=f"{home.root}/a*b")
    assert (ran.code, "leave out --strict" in ran.err) == (2, True)
    assert home.settings.read_bytes() == ALLOW
