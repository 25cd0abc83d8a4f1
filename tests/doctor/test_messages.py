"""Doctor reads every message, names what is odd or damaged about it, and removes none."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from agentmail.core import gz
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import doctor
from tests.doctor.examined_bus import OLD, ExaminedBus, age, message, others, put, the, unchanged
from tests.support.faults import FaultyDisk
from tests.support.reader import read_bus
from tests.support.trees import tree

# Interrupted removals


@pytest.mark.parametrize("folder, ending", [("inbox", ".md"), ("archive", ".md.gz"), ("sent", ".md")])
def test_a_file_that_a_kill_left_hidden_is_a_problem_and_is_put_back(
    examined: ExaminedBus, folder: str, ending: str
) -> None:
    data = message(f"{OLD}-hidden")
    stored = gzip.compress(data) if ending.endswith(".gz") else data
    place = examined.beta / folder
    place.mkdir(mode=0o700, exist_ok=True)
    put(place / f".removing-0123abcd-{OLD}-hidden{ending}", stored)
    finding = the(examined.doctor(), "hidden since an interrupted removal", "beta")
    assert (finding["level"], finding["fixed"]) == ("problem", False)
    assert the(examined.doctor(fix=True), "hidden since an interrupted removal", "beta")["fixed"]
    assert (place / f"{OLD}-hidden{ending}").read_bytes() == stored
    assert not [name for name in os.listdir(place) if name.startswith(".")]


def test_one_that_is_in_the_archive_already_is_removed(examined: ExaminedBus) -> None:
    data = message(f"{OLD}-done")
    examined.keeps(f"{OLD}-done.md.gz", gzip.compress(data))
    put(examined.beta / "inbox" / f".removing-0123abcd-{OLD}-done.md", data)
    assert the(examined.doctor(fix=True), "hidden since an interrupted removal", "beta")["fixed"]
    assert not [name for name in os.listdir(examined.beta / "inbox") if "done" in name]


# The inbox


def test_an_empty_message_is_a_problem(examined: ExaminedBus) -> None:
    put(examined.beta / "inbox" / f"{OLD}-empty.md", b"")
    finding = the(examined.doctor(), "that is empty")
    assert finding["level"] == "problem"
    assert f"{OLD}-empty" in finding["what"]
    assert "agentmail read --raw beta" in finding["fix"]


@pytest.mark.parametrize(
    "data",
    [b"---\nid: x\nnever closed", b"---\n" + b"subject: x\n" * 9999, b"---\n\x00\n---\n"],
    ids=["never closed", "too long", "of control characters"],
)
def test_a_header_that_cannot_be_read_is_a_problem(examined: ExaminedBus, data: bytes) -> None:
    examined.waits(f"{OLD}-torn.md", data)
    assert the(examined.doctor(), "with a header that cannot be read", "beta/inbox")["level"] == "problem"


@pytest.mark.parametrize(
    "data, flag",
    [
        (b"only text\n", "no-header"),
        (b"---\nsubject: re: fix: x\n---\n", "irregular-header"),
        (b"---\nfrom: a\nfrom: b\n---\n", "duplicate-key"),
    ],
)
def test_a_header_in_another_form_is_a_note(examined: ExaminedBus, data: bytes, flag: str) -> None:
    examined.waits(f"{OLD}-odd.md", data)
    examined.keeps(f"{OLD}-done.md.gz", gzip.compress(data))
    found = examined.doctor()
    assert found["ok"]
    assert f"{OLD}-odd ({flag}" in the(found, "that is not in the canonical form", "beta/inbox")["what"]
    assert (
        f"{OLD}-done.md.gz ({flag}" in the(found, "that is not in the canonical form", "beta/archive")["what"]
    )


def test_what_is_no_regular_file_is_a_problem_and_not_followed(examined: ExaminedBus, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret", b"text")
    for folder in ("inbox", "archive"):
        (examined.beta / folder / f"{OLD}-link.md").symlink_to(secret)
        (examined.beta / folder / f"{OLD}-folder.md").mkdir()
        os.mkfifo(examined.beta / folder / f"{OLD}-fifo.md")
    before = tree(tmp_path)
    found = examined.doctor(fix=True)
    for place in ("beta/inbox", "beta/archive"):
        assert "3 entries other than regular files" in the(found, "regular files", place)["what"]
    assert tree(tmp_path) == before


def test_unrecognised_names_are_a_note_and_hidden_ones_are_ours(examined: ExaminedBus) -> None:
    for name in ("README.txt", f"{OLD}-x (conflicted copy).md", f"{OLD}-x.md.icloud", ".DS_Store"):
        examined.waits(name, b"x")
    found = examined.doctor()
    assert found["ok"]
    assert "3 entries with an unrecognised name" in the(found, "unrecognised", "beta/inbox")["what"]
    assert len(others(found)) == 1


def test_a_stamp_in_the_future_is_a_note(examined: ExaminedBus) -> None:
    examined.waits("20990101-0000-alpha-early.md")
    examined.keeps("20990101-0000-alpha-done.md.gz")
    examined.waits("20269999-9999-alpha-never.md")
    found = examined.doctor()
    assert found["ok"]
    assert "20269999-9999-alpha-never" in the(found, "does not exist", "beta/inbox")["what"]
    assert "1 message with a time in the future" in the(found, "time in the future", "beta/inbox")["what"]
    assert "1 message with a time in the future" in the(found, "time in the future", "beta/archive")["what"]


def test_names_that_a_disk_without_case_takes_for_one_are_a_note(examined: ExaminedBus) -> None:
    examined.waits(f"{OLD}-Case.md")
    examined.waits(f"{OLD}-case.md")
    found = examined.doctor()
    assert found["ok"]
    assert "1 pair of names" in the(found, "differ only in upper and lower case")["what"]


# Inbox and archive


def test_an_interrupted_archiving_is_a_problem_with_the_command_that_ends_it(
    examined: ExaminedBus,
) -> None:
    id = examined.twice()
    finding = the(examined.doctor(), "1 message also in the archive")
    assert finding["level"] == "problem"
    assert finding["fix"].startswith(f"`agentmail archive beta {id}`")


def test_fix_ends_an_interrupted_archiving(examined: ExaminedBus) -> None:
    ids = [examined.twice(slug) for slug in ("one", "two", "three", "four", "five")]
    before = read_bus(examined.path)["beta"].received
    found = examined.doctor(fix=True)
    assert found["ok"]
    assert the(found, "5 messages also in the archive")["fixed"]
    box = read_bus(examined.path)["beta"]
    assert (sorted(box.inbox), sorted(box.archive), box.broken) == ([], sorted(ids), [])
    assert box.received == before
    assert unchanged(examined.doctor(fix=True)) == []


def test_an_archiving_by_hand_without_compression_is_ended_too(examined: ExaminedBus) -> None:
    id = examined.send()
    data = (examined.beta / "inbox" / f"{id}.md").read_bytes()
    put(examined.beta / "archive" / f"{id}.md", data)
    assert the(examined.doctor(fix=True), "also in the archive")["fixed"]
    assert read_bus(examined.path)["beta"].received == {id: data}
    assert not (examined.beta / "inbox" / f"{id}.md").exists()


@pytest.mark.parametrize(
    "archived", [gz.compress(b"another"), b"\x1f\x8bcut", b""], ids=["another", "cut", "empty"]
)
def test_another_or_a_damaged_message_in_the_archive_under_the_same_id_leaves_both(
    examined: ExaminedBus, archived: bytes
) -> None:
    id = examined.send()
    examined.keeps(f"{id}.md.gz", archived)
    before = tree(examined.path)
    assert the(examined.doctor(fix=True), "that another message in the archive has")["level"] == "note"
    assert tree(examined.path) == before


# The archive


@pytest.mark.parametrize(
    "data",
    [b"", b"not gzip", gz.compress(message("x"))[:-9], gz.compress(message("x")) + b"garbage"],
    ids=["empty", "not gzip", "cut", "garbage behind"],
)
def test_a_damaged_archive_file_is_a_problem_and_never_removed(examined: ExaminedBus, data: bytes) -> None:
    path = age(examined.keeps(f"{OLD}-damaged.md.gz", data), 24 * 365)
    found = examined.doctor(fix=True)
    assert the(found, "1 file damaged")["level"] == "problem"
    assert "gunzip -c" in the(found, "1 file damaged")["fix"]
    assert path.read_bytes() == data
    assert not examined.doctor(fix=True)["ok"]


def test_a_bomb_in_the_archive_is_damaged_and_costs_no_memory(examined: ExaminedBus) -> None:
    examined.keeps(f"{OLD}-bomb.md.gz", gzip.compress(bytes(gz.LIMIT + 1)))
    tracemalloc.start()
    try:
        assert "1 file damaged" in the(examined.doctor(), "damaged")["what"]
        # One buffer of the size limit may be asked for; what is in the bomb may not be kept.
        assert tracemalloc.get_traced_memory()[1] < gz.LIMIT + (8 << 20)
    finally:
        tracemalloc.stop()


def test_a_file_too_large_to_be_a_message_is_a_problem_and_not_read(examined: ExaminedBus) -> None:
    with examined.keeps(f"{OLD}-large.md").open("wb") as file:
        file.truncate(gz.LIMIT + 1)
    assert "larger than 64 MiB" in the(examined.doctor(), "that cannot be read")["what"]


def test_old_uncompressed_archive_files_are_as_good_as_others(examined: ExaminedBus) -> None:
    examined.keeps(f"{OLD}-plain.md", message(f"{OLD}-plain"))
    assert others(examined.doctor()) == []


def test_unknown_names_and_second_messages_of_one_id_in_the_archive_are_notes(examined: ExaminedBus) -> None:
    for name in ("notes.txt", f"{OLD}-x.md.gz.bak"):
        examined.keeps(name, b"x")
    examined.keeps(f"{OLD}-x.dup2.md.gz")
    found = examined.doctor()
    assert found["ok"]
    assert "2 entries with an unknown name, so never pruned" in the(found, "unknown name")["what"]
    assert f"{OLD}-x.dup2.md.gz" in the(found, "1 file archived under an id that was taken")["what"]


def test_messages_past_retention_are_counted_and_not_removed(examined: ExaminedBus) -> None:
    for number in range(4):
        age(examined.keeps(f"{OLD}-{number}.md.gz"), 24 * (57 + 2 * number))
    found = examined.doctor(fix=True)
    assert found["ok"]
    assert "2 messages past retention (60 days)" in the(found, "past retention")["what"]
    assert (
        "4 messages past retention (10 days)"
        in the(examined.doctor(AGENT_MAIL_RETENTION_DAYS="10"), "past retention")["what"]
    )
    assert others(examined.doctor(AGENT_MAIL_RETENTION_DAYS="off")) == []
    assert (
        "nothing is pruned"
        in the(examined.doctor(AGENT_MAIL_RETENTION_DAYS="abc"), "AGENT_MAIL_RETENTION_DAYS")["what"]
    )
    assert len(os.listdir(examined.beta / "archive")) == 4


def test_the_copies_of_a_sender_are_examined_too(examined: ExaminedBus) -> None:
    (examined.beta / "sent").mkdir()
    put(examined.beta / "sent" / f"{OLD}-mine.md", message(f"{OLD}-mine"))
    put(examined.beta / "sent" / "notes.txt", b"x")
    found = examined.doctor()
    assert others(found) == [the(found, "1 entry with an unknown name", "beta/sent")]
    assert "2 messages" in found["looked_at"]


def test_many_things_of_one_kind_are_one_finding(examined: ExaminedBus) -> None:
    for number in range(200):
        examined.waits(f"{OLD}-{number}.md").chmod(0o644)
    found = examined.doctor()
    finding = the(found, "200 entries open to others", "beta/inbox")
    assert finding["what"].endswith(" and 197 more")
    assert others(found) == [finding]


def test_every_message_is_opened_once_and_looked_at_in_a_handful_of_calls(examined: ExaminedBus) -> None:
    def calls(count: int) -> Counter[str]:
        for number in range(count):
            examined.waits(f"{OLD}-w{number}.md")
            examined.keeps(f"{OLD}-k{number}.md.gz")
        disk = FaultyDisk()
        doctor(Call(Bus(str(examined.path), disk)), fix=False)
        return Counter(disk.calls)

    few, many = calls(10), calls(60)
    assert many["open"] - few["open"] == 100
    assert many.total() - few.total() <= 100 * 7
    assert many["list"] == few["list"]


@pytest.mark.parametrize("place", ["folder", "link", "garbage", "machine"])
def test_a_session_record_that_cannot_be_read_is_a_problem(examined: ExaminedBus, place: str) -> None:
    machine = examined.path / "beta" / "sessions" / "m1"
    machine.parent.mkdir(exist_ok=True, mode=0o700)
    if place == "machine":
        machine.write_text("x")
        machine.chmod(0o600)
    else:
        machine.mkdir(mode=0o700)
        record = machine / "s1.jsonl"
        if place == "folder":
            record.mkdir(mode=0o700)
        elif place == "link":
            record.symlink_to("/nowhere")
        else:
            record.write_bytes(b"\0\0\0\0\n[1]\n")
            record.chmod(0o600)
    found = the(examined.doctor(), "session record that cannot be read", "beta/sessions")
    assert found["level"] == "problem"
    assert ("m1: " if place == "machine" else "m1/s1.jsonl: ") in found["what"]
