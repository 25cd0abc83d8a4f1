"""Receipts and sessions: what sessions recorded, by whom and when; where nothing is known, that is what is said."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from errno import EACCES
from pathlib import Path
from typing import Any

from agentmail.core.fs import Disk
from tests.conversations.office import Office
from tests.support.in_process import run_in_process


def one_of(office: Office, identity: str, id: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = office.json("receipts", identity, id)["messages"]
    (message,) = found
    return message


def record_of(office: Office, identity: str, session: str) -> Path:
    (path,) = (office.bus / identity / "sessions").glob(f"*/{session}.jsonl")
    return path


def test_the_sender_sees_what_sessions_of_each_recipient_recorded(office: Office) -> None:
    id = office.send("alpha", "beta", "news", "--cc", "gamma")
    assert office("receipts", "alpha", id).out.splitlines() == [
        f"{id}  sent  to beta, gamma",
        "  no evidence",
    ]
    office("check", "beta", "--session", "b1")
    office("read", "gamma", id, "--session", "g1")
    office("ack", "gamma", id, "--session", "g1")
    found = one_of(office, "alpha", id)
    assert [(one["identity"], one["session"], bool(one["acknowledged"])) for one in found["receipts"]] == [
        ("beta", "b1", False),
        ("gamma", "g1", True),
    ]
    assert all(one["machine"] and one["presented"].endswith("Z") for one in found["receipts"])
    assert (found["verified"], found["answered"]) == (True, [])


def test_presented_alone_verifies_nothing_and_an_answer_verifies(office: Office) -> None:
    id = office.send("alpha", "beta", "news")
    office("check", "beta", "--session", "b1")
    assert one_of(office, "alpha", id)["verified"] is False
    answer = office("reply", "beta", id).out.strip()
    found = one_of(office, "alpha", id)
    assert (found["answered"], found["verified"]) == ([answer], True)
    assert f"  answered by {answer}" in office("receipts", "alpha", id).out
    office("archive", "alpha", answer)
    assert one_of(office, "alpha", id)["answered"] == [answer], "wherever the answer is now"


def test_a_later_message_of_my_own_is_not_an_answer(office: Office) -> None:
    id = office.send("alpha", "alpha,beta", "news")
    office.send("alpha", "alpha,beta", "more", "--re", id)
    assert one_of(office, "alpha", id)["answered"] == []


def test_the_recipient_sees_its_own_sessions_only(office: Office) -> None:
    id = office.send("alpha", "beta,gamma", "news")
    for identity in ("beta", "gamma"):
        office("ack", identity, id, "--session", f"of-{identity}")
    assert [one["session"] for one in one_of(office, "beta", id)["receipts"]] == ["of-beta"]


def test_receipts_without_an_id_are_about_waiting_and_sent_messages(office: Office) -> None:
    waiting, handled = office.send("alpha", "beta", "one"), office.send("alpha", "beta", "two")
    sent = office.send("beta", "alpha", "three")
    office("archive", "beta", handled)
    assert [one["id"] for one in office.json("receipts", "beta")["messages"]] == [waiting, sent]
    assert office("receipts", "gamma").out == "gamma: nothing waits and nothing was sent\n"
    assert one_of(office, "beta", handled)["place"] == "archive"


def test_an_unknown_message_is_not_found(office: Office) -> None:
    assert office("receipts", "beta", "20260101-0000-x-y").code == 1


def test_sessions_lists_each_session_that_has_a_record_with_its_times(office: Office) -> None:
    assert office("sessions", "beta").out == "beta: no session has a record\n"
    id = office.send("alpha", "beta", "one")
    office("check", "beta", "--session", "s1")
    office("ack", "beta", id, "--session", "s2")
    office("ack", "beta", id, "--session", "s1")
    first, last = office.json("sessions", "beta")["sessions"]
    assert [(one["session"], one["presented"], one["acknowledged"]) for one in (first, last)] == [
        ("s2", 0, 1),
        ("s1", 1, 1),
    ]
    assert (last["host"], last["workdir"], last["wake"]) == ("command-line", office.workdir("beta"), False)
    assert last["first"] < first["first"] < last["last"]


def test_a_waiting_session_has_a_record_before_a_message_comes(office: Office) -> None:
    office("wait", "beta", "--session", "s1", "--timeout", "0")
    (session,) = office.json("sessions", "beta")["sessions"]
    assert (session["session"], session["presented"]) == ("s1", 0)
    assert session["first"] == session["last"] != ""


def test_order_duplicates_torn_lines_and_unknown_facts_do_not_change_receipts(office: Office) -> None:
    ids = [office.send("alpha", "beta", slug) for slug in ("one", "two", "three")]
    office("check", "beta", "--session", "s1")
    office("ack", "beta", ids[1], "--session", "s1")
    path = record_of(office, "beta", "s1")

    def answers() -> tuple[list[str], object]:
        found = office.json("receipts", "alpha"), office.json("sessions", "beta")
        for one in found[0]["messages"]:
            one.pop("unknown")
        return found[0].pop("unreadable"), (*found, found[1].pop("unreadable"))[:2]

    nothing, expected = answers()
    assert nothing == []
    lines = path.read_text().split("\n")
    strange = [
        json.dumps({"fact": "obeyed", "id": ids[0], "time": "1"}),
        "{}",
        "7",
        '{"fact":',
        "\x00\xff",
        "",
    ]
    for seed in range(5):
        mixed = [*lines, *lines, *strange]
        random.Random(seed).shuffle(mixed)
        before = "\n".join(mixed) + '\n{"fact": "acknowledged", "id": "' + ids[0]
        path.write_text(before)
        said, found = answers()
        assert found == expected
        assert [line.rpartition(": ")[2] for line in said] == ["2 of its lines are no facts"]
        office("check", "beta", "--session", "s1")
        assert path.read_text() == before, "nothing was new, so nothing was added"
        office("ack", "beta", ids[2], "--session", "s1")
        assert path.read_text().startswith(before), "and a torn line spoils nothing that comes after it"
        assert one_of(office, "alpha", ids[2])["receipts"][0]["acknowledged"]
        assert one_of(office, "alpha", ids[0])["receipts"][0]["acknowledged"] == ""


def test_a_session_whose_record_holds_no_fact_is_listed_without_times(office: Office) -> None:
    office("check", "beta", "--session", "s1")
    path = office.bus / "beta" / "sessions" / "m1" / "s2.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("garbage\n")
    ended = office("sessions", "beta")
    assert "s2  machine m1  ?  ?  with no facts, presented 0, acknowledged 0" in ended.out
    assert "1 of its lines are no facts" in ended.err


def test_words_of_older_programs_count_as_presented(office: Office) -> None:
    ids = [office.send("alpha", "beta", slug) for slug in ("one", "two", "three")]
    path = office.bus / "beta" / "sessions" / "old-machine" / "s0.jsonl"
    path.parent.mkdir(parents=True)
    facts = zip(("injected", "delivered", "presented"), ids, strict=True)
    path.write_text(
        "".join(
            json.dumps({"fact": fact, "id": id, "time": "2026-01-01T00:00:00Z"}) + "\n" for fact, id in facts
        )
    )
    for id in ids:
        (receipt,) = one_of(office, "alpha", id)["receipts"]
        assert (receipt["machine"], receipt["presented"], receipt["acknowledged"]) == (
            "old-machine",
            "2026-01-01T00:00:00Z",
            "",
        )
        shown = office("receipts", "alpha", id).out
        assert "presented 2026-01-01T00:00:00Z" in shown
        assert "injected" not in shown
    assert office.json("sessions", "beta")["sessions"][0]["host"] == ""


def test_one_session_name_on_two_machines_is_two_sessions(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    office("check", "beta", "--session", "s1")
    here = record_of(office, "beta", "s1")
    there = here.parent.with_name("m-there") / "s1.jsonl"
    there.parent.mkdir()
    there.write_text(json.dumps({"fact": "acknowledged", "id": id, "time": "2026-01-01T00:00:00Z"}))
    assert len(one_of(office, "alpha", id)["receipts"]) == 2
    assert {one["machine"] for one in office.json("sessions", "beta")["sessions"]} == {
        here.parent.name,
        "m-there",
    }


def test_files_that_are_no_records_are_skipped_and_something_in_the_place_of_a_record_is_reported(
    office: Office,
) -> None:
    id = office.send("alpha", "beta", "one")
    office("check", "beta", "--session", "s1")
    machine = record_of(office, "beta", "s1").parent
    (machine / "folder.jsonl").mkdir()
    (machine / "link.jsonl").symlink_to("/etc/passwd")
    (machine / "notes.txt").write_text("x")
    (machine / "bad name.jsonl").write_text("x")
    (machine.parent / "file").write_text("x")
    ended = office("receipts", "alpha", id)
    assert [line.partition("sessions/")[2] for line in ended.err.splitlines()] == [
        "file: not a file or directory of ours",
        f"{machine.name}/folder.jsonl: not a file or directory of ours",
        f"{machine.name}/link.jsonl: not a file or directory of ours",
    ]
    assert ended.out.count("receipt:") == 1
    assert len(office.json("sessions", "beta")["sessions"]) == 1


class Closed(Disk):
    """A disk that opens no session's record."""

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op == "open" and str(args[0]).endswith(".jsonl"):
            raise OSError(EACCES, os.strerror(EACCES), args[0])
        return super().invoke(op, function, *args, **kwargs)


def test_unreadable_records_are_reported_and_do_not_count_as_no_evidence(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    office("ack", "beta", id, "--session", "b1")
    for words in (("receipts", "alpha", id), ("thread", "alpha", id), ("sessions", "beta")):
        ended = run_in_process(words, office.bus, disk=Closed())
        assert ended.code == 0
        assert "b1.jsonl: Permission denied" in ended.err
        found = json.loads(run_in_process((*words, "--json"), office.bus, disk=Closed()).out)
        assert len(found["unreadable"]) == 1


def test_missing_records_of_an_identity_that_is_not_here_are_not_a_failure(office: Office) -> None:
    id = office.send("alpha", "beta,gamma", "one")
    office("ack", "gamma", id, "--session", "g1")
    (office.bus / "beta").rename(office.bus / "away")
    ended = office("receipts", "alpha", id)
    assert (ended.code, ended.err) == (0, "")
    assert "session g1" in ended.out
