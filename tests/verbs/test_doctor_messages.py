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
from agentmail.verbs.doctor import doctor
from tests.support.faults import FaultyDisk
from tests.support.reader import read_bus
from tests.support.trees import tree
from tests.verbs.patient import OLD, Patient, age, message, others, put, the, unchanged

# The inbox


def test_an_empty_message_is_a_problem(patient: Patient) -> None:
    put(patient.beta / "inbox" / f"{OLD}-empty.md", b"")
    finding = the(patient.doctor(), "without a byte in it")
    assert finding["level"] == "problem"
    assert f"{OLD}-empty" in finding["what"]
    assert "agentmail read --raw beta" in finding["mend"]


@pytest.mark.parametrize(
    "data",
    [b"---\nid: x\nnever closed", b"---\n" + b"subject: x\n" * 9999, b"---\n\x00\n---\n"],
    ids=["never closed", "too long", "of control characters"],
)
def test_a_header_that_cannot_be_read_is_a_problem(patient: Patient, data: bytes) -> None:
    patient.waits(f"{OLD}-torn.md", data)
    assert the(patient.doctor(), "with a header that cannot be read", "beta/inbox")["level"] == "problem"


@pytest.mark.parametrize(
    "data, flag",
    [
        (b"only text\n", "no-header"),
        (b"---\nsubject: re: fix: x\n---\n", "irregular-header"),
        (b"---\nfrom: a\nfrom: b\n---\n", "duplicate-key"),
    ],
)
def test_a_header_in_another_form_is_a_note(patient: Patient, data: bytes, flag: str) -> None:
    patient.waits(f"{OLD}-odd.md", data)
    patient.keeps(f"{OLD}-done.md.gz", gzip.compress(data))
    found = patient.doctor()
    assert found["ok"]
    assert f"{OLD}-odd ({flag}" in the(found, "in another form than ours", "beta/inbox")["what"]
    assert f"{OLD}-done.md.gz ({flag}" in the(found, "in another form than ours", "beta/archive")["what"]


def test_what_is_no_regular_file_is_a_problem_and_not_followed(patient: Patient, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret", b"text")
    for folder in ("inbox", "archive"):
        (patient.beta / folder / f"{OLD}-link.md").symlink_to(secret)
        (patient.beta / folder / f"{OLD}-folder.md").mkdir()
        os.mkfifo(patient.beta / folder / f"{OLD}-fifo.md")
    before = tree(tmp_path)
    found = patient.doctor(fix=True)
    for place in ("beta/inbox", "beta/archive"):
        assert "3 entries other than regular files" in the(found, "regular files", place)["what"]
    assert tree(tmp_path) == before


def test_unrecognised_names_are_a_note_and_hidden_ones_are_ours(patient: Patient) -> None:
    for name in ("README.txt", f"{OLD}-x (conflicted copy).md", f"{OLD}-x.md.icloud", ".DS_Store"):
        patient.waits(name, b"x")
    found = patient.doctor()
    assert found["ok"]
    assert "3 entries of unrecognised names" in the(found, "unrecognised", "beta/inbox")["what"]
    assert len(others(found)) == 1


def test_a_stamp_in_the_future_is_a_note(patient: Patient) -> None:
    patient.waits("20990101-0000-alpha-early.md")
    patient.keeps("20990101-0000-alpha-done.md.gz")
    patient.waits("20269999-9999-alpha-never.md")
    found = patient.doctor()
    assert found["ok"]
    assert "1 message stamped with a time to come" in the(found, "time to come", "beta/inbox")["what"]
    assert "1 message stamped with a time to come" in the(found, "time to come", "beta/archive")["what"]


def test_names_that_a_disk_without_case_takes_for_one_are_a_note(patient: Patient) -> None:
    patient.waits(f"{OLD}-Case.md")
    patient.waits(f"{OLD}-case.md")
    found = patient.doctor()
    assert found["ok"]
    assert "1 pair of names" in the(found, "folds upper and lower case")["what"]


# Inbox and archive


def test_an_archiving_that_never_ended_is_a_problem_with_the_command_that_ends_it(patient: Patient) -> None:
    id = patient.twice()
    finding = the(patient.doctor(), "1 message in the archive as well")
    assert finding["level"] == "problem"
    assert finding["mend"].startswith(f"`agentmail archive beta {id}`")


def test_fix_ends_an_archiving_that_never_ended(patient: Patient) -> None:
    ids = [patient.twice(slug) for slug in ("one", "two", "three", "four", "five")]
    before = read_bus(patient.path)["beta"].received
    found = patient.doctor(fix=True)
    assert found["ok"]
    assert the(found, "5 messages in the archive as well")["fixed"]
    box = read_bus(patient.path)["beta"]
    assert (sorted(box.inbox), sorted(box.archive), box.broken) == ([], sorted(ids), [])
    assert box.received == before
    assert unchanged(patient.doctor(fix=True)) == []


def test_an_archiving_by_hand_without_compression_is_ended_too(patient: Patient) -> None:
    id = patient.send()
    data = (patient.beta / "inbox" / f"{id}.md").read_bytes()
    put(patient.beta / "archive" / f"{id}.md", data)
    assert the(patient.doctor(fix=True), "in the archive as well")["fixed"]
    assert read_bus(patient.path)["beta"].received == {id: data}
    assert not (patient.beta / "inbox" / f"{id}.md").exists()


@pytest.mark.parametrize(
    "archived", [gz.compress(b"another"), b"\x1f\x8bcut", b""], ids=["another", "cut", "empty"]
)
def test_another_or_a_damaged_message_in_the_archive_under_the_same_id_leaves_both(
    patient: Patient, archived: bytes
) -> None:
    id = patient.send()
    patient.keeps(f"{id}.md.gz", archived)
    before = tree(patient.path)
    assert the(patient.doctor(fix=True), "under which the archive has something else")["level"] == "note"
    assert tree(patient.path) == before


# The archive


@pytest.mark.parametrize(
    "data",
    [b"", b"not gzip", gz.compress(message("x"))[:-9], gz.compress(message("x")) + b"garbage"],
    ids=["empty", "not gzip", "cut", "garbage behind"],
)
def test_a_damaged_archive_file_is_a_problem_and_never_removed(patient: Patient, data: bytes) -> None:
    path = age(patient.keeps(f"{OLD}-damaged.md.gz", data), 24 * 365)
    found = patient.doctor(fix=True)
    assert the(found, "1 file damaged")["level"] == "problem"
    assert "gunzip -c" in the(found, "1 file damaged")["mend"]
    assert path.read_bytes() == data
    assert not patient.doctor(fix=True)["ok"]


def test_a_bomb_in_the_archive_is_damaged_and_costs_no_memory(patient: Patient) -> None:
    patient.keeps(f"{OLD}-bomb.md.gz", gzip.compress(bytes(gz.LIMIT + 1)))
    tracemalloc.start()
    try:
        assert "1 file damaged" in the(patient.doctor(), "damaged")["what"]
        # One buffer of the size limit may be asked for; what is in the bomb may not be kept.
        assert tracemalloc.get_traced_memory()[1] < gz.LIMIT + (8 << 20)
    finally:
        tracemalloc.stop()


def test_a_file_too_large_to_be_a_message_is_a_problem_and_not_read(patient: Patient) -> None:
    with patient.keeps(f"{OLD}-large.md").open("wb") as file:
        file.truncate(gz.LIMIT + 1)
    assert "larger than 64 MiB" in the(patient.doctor(), "that cannot be read")["what"]


def test_old_uncompressed_archive_files_are_as_good_as_others(patient: Patient) -> None:
    patient.keeps(f"{OLD}-plain.md", message(f"{OLD}-plain"))
    assert others(patient.doctor()) == []


def test_unknown_names_and_second_messages_of_one_id_in_the_archive_are_notes(patient: Patient) -> None:
    for name in ("notes.txt", f"{OLD}-x.md.gz.bak"):
        patient.keeps(name, b"x")
    patient.keeps(f"{OLD}-x.dup2.md.gz")
    found = patient.doctor()
    assert found["ok"]
    assert "2 entries of unknown names, so never pruned" in the(found, "unknown names")["what"]
    assert f"{OLD}-x.dup2.md.gz" in the(found, "1 file archived under an id that was taken")["what"]


def test_messages_past_retention_are_counted_and_not_removed(patient: Patient) -> None:
    for number in range(4):
        age(patient.keeps(f"{OLD}-{number}.md.gz"), 24 * (57 + 2 * number))
    found = patient.doctor(fix=True)
    assert found["ok"]
    assert "2 messages past retention (60 days)" in the(found, "past retention")["what"]
    assert (
        "4 messages past retention (10 days)"
        in the(patient.doctor(AGENT_MAIL_RETENTION_DAYS="10"), "past retention")["what"]
    )
    assert others(patient.doctor(AGENT_MAIL_RETENTION_DAYS="off")) == []
    assert (
        "nothing is pruned"
        in the(patient.doctor(AGENT_MAIL_RETENTION_DAYS="abc"), "AGENT_MAIL_RETENTION_DAYS")["what"]
    )
    assert len(os.listdir(patient.beta / "archive")) == 4


def test_the_copies_of_a_sender_are_examined_too(patient: Patient) -> None:
    (patient.beta / "sent").mkdir()
    put(patient.beta / "sent" / f"{OLD}-mine.md", message(f"{OLD}-mine"))
    put(patient.beta / "sent" / "notes.txt", b"x")
    found = patient.doctor()
    assert others(found) == [the(found, "1 entry of unknown names", "beta/sent")]
    assert found["looked_at"][-3] == "2 messages"


def test_many_things_of_one_kind_are_one_finding(patient: Patient) -> None:
    for number in range(200):
        patient.waits(f"{OLD}-{number}.md").chmod(0o644)
    found = patient.doctor()
    finding = the(found, "200 entries that others may use", "beta/inbox")
    assert finding["what"].endswith(" and 197 more")
    assert others(found) == [finding]


def test_every_message_is_opened_once_and_looked_at_in_a_handful_of_calls(patient: Patient) -> None:
    def calls(count: int) -> Counter[str]:
        for number in range(count):
            patient.waits(f"{OLD}-w{number}.md")
            patient.keeps(f"{OLD}-k{number}.md.gz")
        disk = FaultyDisk()
        doctor(Bus(str(patient.path), disk), fix=False)
        return Counter(disk.calls)

    few, many = calls(10), calls(60)
    assert many["open"] - few["open"] == 100
    assert many.total() - few.total() <= 100 * 7
    assert many["list"] == few["list"]
