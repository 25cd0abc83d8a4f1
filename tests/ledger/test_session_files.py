"""Session files: made where they belong, only appended to, and read without making anything."""

from __future__ import annotations

import os

import pytest

from agentmail.core.layout import Bus
from agentmail.ledger.receipts import PRESENTED, message_line
from agentmail.ledger.sessions import RECENT, SessionFile, all_receipts, read_receipts


@pytest.fixture
def box(bus: Bus):
    os.mkdir(bus.path("alpha"))
    with bus.mailbox("alpha") as found:
        yield found


def line(id: str, time: str = "1") -> str:
    return message_line(PRESENTED, id, time)


def test_what_is_appended_is_read_back_and_nothing_before_it_changes(box):
    with SessionFile(box, "m", "s") as record:
        record.append([line("x")])
    path = box.path("sessions", "m", "s.jsonl")
    with open(path, "rb") as file:
        before = file.read()
    with SessionFile(box, "m", "s") as record:
        record.append([line("y"), line("z")], durable=True)
        assert sorted(record.receipts().presented) == ["x", "y", "z"]
    with open(path, "rb") as file:
        assert file.read().startswith(before)
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_line_that_was_torn_spoils_nothing_that_is_appended_after_it(box):
    with SessionFile(box, "m", "s") as record:
        record.append([line("x"), line("lost")])
    path = box.path("sessions", "m", "s.jsonl")
    os.truncate(path, os.stat(path).st_size - 5)
    with SessionFile(box, "m", "s") as record:
        record.append([line("y")])
        assert sorted(record.receipts().presented) == ["x", "y"]


def test_of_a_record_beyond_reason_the_end_is_read(box):
    with SessionFile(box, "m", "s") as record:
        record.append([line("old"), "what follows is torn"])
        os.truncate(box.path("sessions", "m", "s.jsonl"), 2 * RECENT)
        record.append([line("new")])
        assert sorted(record.receipts().presented) == ["new"]
        assert os.stat(box.path("sessions", "m", "s.jsonl")).st_size > RECENT


def test_who_holds_the_lock_keeps_others_out_until_the_file_is_closed(box):
    with SessionFile(box, "m", "s") as record, SessionFile(box, "m", "s") as other:
        assert record.try_lock()
        assert not other.try_lock()
        with pytest.raises(TimeoutError):
            other.lock(0)
        record.unlock()
        assert other.try_lock()
    with SessionFile(box, "m", "s") as again:
        assert again.try_lock()


def test_reading_makes_nothing(box, bus_dir, tree):
    before = tree(bus_dir)
    assert read_receipts(box, "m", "s") is None
    assert list(all_receipts(box)) == []
    assert tree(bus_dir) == before


def test_every_session_of_every_machine_is_read_and_what_is_none_is_passed_over(box):
    for machine, session in (("m2", "s1"), ("m1", "s2"), ("m1", "s1")):
        with SessionFile(box, machine, session) as record:
            record.append([line(f"{machine}-{session}")])
    folder = box.path("sessions")
    for name in ("a-file", ".hidden"):
        with open(f"{folder}/{name}", "w"):
            pass
    with open(f"{folder}/m1/-odd.jsonl", "w"):
        pass
    found = [(machine, session, list(whole.presented)) for machine, session, whole in all_receipts(box)]
    assert found == [("m1", "s1", ["m1-s1"]), ("m1", "s2", ["m1-s2"]), ("m2", "s1", ["m2-s1"])]
    one = read_receipts(box, "m1", "s2")
    assert one is not None
    assert list(one.presented) == ["m1-s2"]


@pytest.mark.parametrize("what", [os.mkdir, os.mkfifo, lambda path: os.symlink("/etc/hostname", path)])
def test_what_is_no_file_is_an_error_at_once(box, what):
    os.makedirs(box.path("sessions", "m"))
    what(box.path("sessions", "m", "s.jsonl"))
    with pytest.raises(OSError):
        SessionFile(box, "m", "s")
