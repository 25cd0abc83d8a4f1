"""`ack`: this session says so. It is durable, changes no message, and says nothing more than that."""

from __future__ import annotations

import errno
import os

import pytest

from agentmail.core.errors import TryAgain, Unconfirmed
from agentmail.core.layout import Bus
from agentmail.verbs.ack import ack
from agentmail.verbs.call import Call
from tests.conversations.office import Office
from tests.support.faults import FaultyDisk
from tests.support.reader import read_box


def test_an_acknowledgement_is_recorded_for_its_session_only(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    office("read", "beta", id, "--session", "s1")
    assert office("ack", "beta", id, "--session", "s1").out == f"acknowledged {id} by session s1\n"
    (receipt,) = office.json("receipts", "beta", id)["messages"][0]["receipts"]
    assert receipt["session"] == "s1"
    assert "" < receipt["presented"] < receipt["acknowledged"]
    assert office("wait", "beta", "--session", "s1", "--timeout", "0").code == 124
    assert [one["id"] for one in office.json("wait", "beta", "--session", "s2")["messages"]] == [id]


def test_a_session_that_was_not_shown_the_message_is_warned_and_its_acknowledgement_verifies_nothing(
    office: Office,
) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office("ack", "beta", id, "--session", "s1")
    assert (ended.code, ended.out) == (0, f"acknowledged {id} by session s1\n")
    assert f"session s1 has no record that it was shown {id}" in ended.err
    before = office.records("beta")
    assert "verifies nothing" in office.json("ack", "beta", id, "--session", "s1")["warnings"][0]
    assert office.records("beta") == before, "again is no change"
    for command in ("receipts", "thread"):
        assert "not shown to it before that" in office(command, "alpha", id).out
    (found,) = office.json("receipts", "alpha", id)["messages"]
    (receipt,) = found["receipts"]
    assert (found["verified"], receipt["presented"], receipt["shown"]) == (False, "", False)
    assert receipt["acknowledged"] != ""
    assert office("wait", "beta", "--session", "s1", "--timeout", "0").code == 0, (
        "it is announced all the same"
    )
    (found,) = office.json("receipts", "alpha", id)["messages"]
    assert (found["verified"], found["receipts"][0]["shown"]) == (False, False), "shown after it said so"
    again = office.json("ack", "beta", id, "--session", "s1")
    assert ([one["outcome"] for one in again["messages"]], again["warnings"]) == (["acknowledged"], [])
    (found,) = office.json("receipts", "alpha", id)["messages"]
    assert (found["verified"], found["receipts"][0]["shown"]) == (True, True)


def test_a_session_of_another_identity_acknowledges_nothing(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office("ack", "beta", id, "--session", "a1", at="alpha")
    assert (ended.code, ended.out) == (2, "")
    assert "session a1 is not known to act as beta; nothing was recorded" in ended.err
    assert not (office.bus / "beta" / "sessions").exists()
    step = ended.err.split("`")[1].split()
    assert office("ack", "beta", id, *step, "--session", "a1", at="alpha").code == 0


def test_a_second_acknowledgement_changes_nothing(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    office("ack", "beta", id, "--session", "s1")
    before = office.records("beta")
    again = office("ack", "beta", id, f"{id}.md", "--session", "s1")
    assert (again.code, again.out) == (0, f"already acknowledged {id} by session s1\n")
    assert office.records("beta") == before


@pytest.mark.parametrize("place", ["inbox", "archive"])
def test_an_acknowledgement_moves_and_changes_no_message(office: Office, place: str) -> None:
    id = office.send("alpha", "beta", "one")
    if place == "archive":
        office("archive", "beta", id)
    before = office.box("beta")
    assert office("ack", "beta", id, "--session", "s1").code == 0
    assert office.box("beta") == before


def test_an_acknowledgement_without_a_session_is_refused(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office("ack", "beta", id)
    assert (ended.code, ended.out) == (2, "")
    assert "no session is known that could acknowledge" in ended.err
    assert not (office.bus / "beta" / "sessions").exists()


def test_existing_messages_are_acknowledged_and_missing_ones_are_named(office: Office) -> None:
    here, mine = office.send("alpha", "beta", "one"), office.send("beta", "alpha", "two")
    found = office.json("ack", "beta", "20260101-0000-x-y", here, mine, "--session", "s1", code=1)
    assert [(one["id"], one["outcome"]) for one in found["messages"]] == [
        ("20260101-0000-x-y", "not-found"),
        (here, "acknowledged"),
        (mine, "not-found"),
    ]
    assert "only its recipients acknowledge it" in found["messages"][2]["error"]
    assert office.facts("beta", "s1", "acknowledged") == [here]


def test_no_record_is_made_if_no_message_exists(office: Office) -> None:
    assert office("ack", "beta", "20260101-0000-x-y", "--session", "s1").code == 1
    assert not (office.bus / "beta" / "sessions").exists()


@pytest.mark.usefixtures("bus")  # the umask of an entry point
def test_each_kind_of_disk_failure_has_its_own_error(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    for broken, error in (("write", TryAgain), ("fsync", Unconfirmed), ("fsyncdir", Unconfirmed)):
        disk = Failing(broken)
        with pytest.raises(error):
            ack(Call(Bus(str(office.bus), disk), session="s1", acts_as="beta", machine="m1"), "beta", [id])
    done = ack(Call(Bus(str(office.bus)), session="s1", acts_as="beta", machine="m1"), "beta", [id])
    assert [one["outcome"] for one in done["messages"]] == ["already-acknowledged"]
    assert office.facts("beta", "s1", "acknowledged") == [id]
    assert id in read_box(office.bus / "beta").inbox


@pytest.mark.usefixtures("bus")
def test_line_file_and_name_are_synced_before_an_acknowledgement_counts_even_if_they_existed(
    office: Office,
) -> None:
    id = office.send("alpha", "beta", "one")
    for expected in (["write", "fsync", "fsyncdir"], ["fsync", "fsyncdir"]):
        disk = FaultyDisk()
        ack(Call(Bus(str(office.bus), disk), session="s1", acts_as="beta", machine="m1"), "beta", [id])
        start = disk.calls.index("seek")
        assert [op for op in disk.calls[start:] if op in ("write", "fsync", "fsyncdir")] == expected


class Failing(FaultyDisk):
    """A disk on which one kind of call fails, once the record is being written."""

    def __init__(self, op: str) -> None:
        super().__init__()
        self._broken_op = op
        self._writing = False

    def real(self, op: str, function, /, *args, **kwargs):
        self._writing = self._writing or op in ("write", "seek")
        if op == self._broken_op and self._writing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().real(op, function, *args, **kwargs)
