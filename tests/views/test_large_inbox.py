"""`check` of very many: the headers from the rows of an index, each after a look at its file; the answer is the same."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.check import INDEXED, check
from agentmail.verbs.reading import MANY_LISTED
from tests.bench import buses
from tests.support.clocks import Fixed
from tests.support.faults import FaultyDisk
from tests.views.indexes import file_of, let_a_tick_pass, with_index, without_index, write_index

COUNT = MANY_LISTED + 50


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


ODD = {
    "20260102-0000-alpha-sender": "from: stranger\nto: beta\ndate: 2026-01-02T00:00:59.000001Z",
    "20260102-0001-alpha-kind": "from: alpha\nto: beta\nsender_kind: human",
    "20260102-0002-alpha-two": "from: alpha\nto: gamma, beta\npriority: high",
    "20260102-0003-alpha-values": "from: alpha\nto: beta\npriority: soon\nthread: no thread\ndate: yesterday",
    "20260102-0004-alpha-date": "from: alpha\nto: beta\ndate: 2025-12-31T23:59:59.000000Z\nsubject: of another minute",
    "20260102-0005-alpha-archived": "from: alpha\nto: beta\nre: 20260102-0004-alpha-date",
    "20260102-2561-alpha-minute": "from: alpha\nto: beta",
    "29990102-0006-alpha-future": "from: alpha\nto: beta",
    "without-a-stamp": "from: alpha\nto: beta\ndate: 2026-01-02T00:07:00.000000Z",
    "20260102-0007-alpha-empty": "from:\nto: beta\nsubject:",
    "20260102-0008-alpha.md": "from: alpha\nto: beta",
}


def test_what_is_odd_about_a_message_is_said_with_an_index_as_without(large: Bus, quick_path: Path) -> None:
    for id, header in ODD.items():
        (Path(large.root, "beta/inbox") / f"{id}.md").write_text(f"---\nid: {id}\n{header}\n---\nbody\n")
    home = quick_path / "home"
    write_index(large, "beta", home)
    (Path(large.root, "beta/archive") / "20260102-0005-alpha-archived.md.gz").write_bytes(b"")
    disk, clock = FaultyDisk(), Fixed(time.time_ns())
    found = check(Call(Bus(large.root, disk, clock), Environment({"HOME": str(home)})), "beta")
    assert found == check(without_index(Bus(large.root, clock=clock)), "beta")
    flags = {one["id"]: one["flags"] for one in found["messages"] if one["id"] in ODD}
    assert len(flags) == len(ODD)
    assert flags["20260102-0000-alpha-sender"] == ["unregistered-sender"]
    assert flags["20260102-0005-alpha-archived"] == ["already-archived"]
    assert flags["29990102-0006-alpha-future"] == ["in-the-future"]
    assert Counter(disk.calls)["read"] < 30


def test_an_answer_that_read_very_many_leaves_an_index(large: Bus, quick_path: Path) -> None:
    call = with_index(large, quick_path / "home")
    assert check(call, "beta", limit=str(INDEXED))["left_out"]
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
