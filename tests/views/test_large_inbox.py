"""`check` of very many: the headers from the rows of an index, each after a look at its file; the answer is the same."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.check import MANY, check
from tests.bench import buses
from tests.support.faults import FaultyDisk
from tests.views.indexes import file_of, let_a_tick_pass, with_index, without_index, write_index

COUNT = MANY + 50


@pytest.fixture
def large(quick_path: Path) -> Bus:
    """Very many wait, some of them odd."""
    (quick_path / "home").mkdir()
    bus = Bus(str(buses.bus(quick_path / "bus", waiting=COUNT)))
    inbox = Path(bus.root, "beta/inbox")
    (inbox / "empty.md").write_bytes(b"")
    (inbox / "no header.md").write_text("plain\n")
    (inbox / "20260101-0000-x-y.md").write_text("---\nid: other\nfrom: 'nobody'\nto: gamma\n---\n")
    (inbox / "20260101-0001-x-folder.md").mkdir()
    (inbox / "a name").write_text("no suffix\n")
    return bus


def test_it_gives_the_same_and_opens_only_what_has_no_true_row(large: Bus, quick_path: Path) -> None:
    home = quick_path / "home"
    write_index(large, "beta", home)
    let_a_tick_pass(large, "beta")
    first, second, *_ = sorted(Path(large.root, "beta/inbox").glob("202601*-alpha-*"))
    was = first.stat()
    first.write_bytes(first.read_bytes().replace(b"number 0", b"changed0"))
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns))
    second.unlink()
    disk = FaultyDisk()
    found = check(Call(Bus(large.root, disk), Environment({"HOME": str(home)})), "beta")
    found_by_files = check(without_index(large), "beta")
    for one in (*found["messages"], *found_by_files["messages"]):
        one["age"] = 0
    assert found == found_by_files
    assert len(found["messages"]) == COUNT + 4
    assert "changed0" in str([one["subject"] for one in found["messages"]])
    assert Counter(disk.calls)["read"] < 30


def test_an_answer_that_read_very_many_leaves_an_index(large: Bus, quick_path: Path) -> None:
    call = with_index(large, quick_path / "home")
    assert check(call, "beta", limit=str(MANY))["left_out"]
    assert call.slow == []
    check(call, "beta")
    assert call.slow == ["beta"]
    call.finish()
    assert file_of(large, "beta", quick_path / "home").is_sealed()


def test_an_index_that_breaks_is_no_reason_to_show_less(large: Bus, quick_path: Path) -> None:
    home = quick_path / "home"
    write_index(large, "beta", home)
    path = Path(file_of(large, "beta", home).path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert check(with_index(large, home), "beta")["count"] == COUNT + 5
