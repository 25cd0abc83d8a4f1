"""Limits of the process: a file size that cuts a write short, and too few descriptors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes.within import limited, one_line
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_box

Tree = Callable[[Path], dict[str, str]]
#: Longer than two blocks of any shell's `ulimit -f`, and no gzip makes it short.
BODY = bytes(33 + (number * 7919 >> 5) % 90 for number in range(8000))


def test_a_write_that_is_cut_short_delivers_nothing(ready: Cli, tree: Tree) -> None:
    before = tree(ready.bus)
    ran = limited(ready, "f", 1)("send", "alpha", "beta", "hello", stdin=BODY)
    assert (ran.code, ran.out) == (75, "")
    assert "File too large" in one_line(ran.err)
    assert tree(ready.bus) == before


def test_a_write_that_is_cut_short_moves_nothing(ready: Cli, tree: Tree) -> None:
    id = ready("send", "alpha", "beta", "hello", stdin=BODY).out.strip()
    for command in ("archive", "unarchive"):
        before = tree(ready.bus)
        ran = limited(ready, "f", 1)(command, "beta", id)
        assert (ran.code, ran.out) == (75, "")
        assert "File too large" in one_line(ran.err)
        assert tree(ready.bus) == before
        assert ready(command, "beta", id).code == 0
    assert header_and_body(read_box(ready.bus / "beta").inbox[id])[1] == BODY


def test_a_registry_that_cannot_be_written_whole_stays_as_it_was(ready: Cli) -> None:
    registry = ready.bus / "registry.md"
    registry.write_bytes(registry.read_bytes() + b"\nNotes of a person.\n" * 200)
    before = registry.read_bytes()
    ran = limited(ready, "f", 1)("register", "gamma", "-", "takes", "part")
    assert (ran.code, ran.out) == (75, "")
    assert "File too large" in one_line(ran.err)
    assert registry.read_bytes() == before
    assert not list(ready.bus.glob(".registry.md.tmp-*"))


@pytest.mark.parametrize("command", ["send", "check", "read", "archive", "register"])
def test_with_too_few_descriptors_a_command_is_done_or_changes_nothing(
    ready: Cli, tree: Tree, command: str
) -> None:
    id = ready("send", "alpha", "beta", "hello", stdin="text\n").out.strip()
    words = {
        "send": ["send", "alpha", "beta", "again"],
        "check": ["check", "beta"],
        "read": ["read", "beta", id],
        "archive": ["archive", "beta", id],
        "register": ["register", "beta", "-", "takes", "another", "part"],
    }[command]
    failures = 0
    for most in range(4, 20):
        before = tree(ready.bus)
        ran = limited(ready, "n", most)(*words, stdin="text\n")
        if ran.code == 0:
            break
        assert tree(ready.bus) == before
        assert "Too many open files" in ran.err
        # With fewer still the interpreter itself, or its site, does not start, and says so in its own words.
        if ran.err.startswith("agentmail: "):
            assert (ran.code, ran.out) == (75, "")
            one_line(ran.err)
            failures += 1
    assert failures >= 1
    assert ran.code == 0
