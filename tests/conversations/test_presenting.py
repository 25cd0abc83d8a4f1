"""`presented` is recorded for a session, once, and only after what was shown has left the program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conversations.office import Office
from tests.support.cli import Cli
from tests.support.reader import read_box
from tests.support.trees import tree

SHOWING = ("check", "read", "thread", "wait")


def words(command: str, id: str) -> tuple[str, ...]:
    return (command, "beta", id) if command in ("read", "thread") else (command, "beta")


@pytest.mark.parametrize("command", SHOWING)
def test_the_record_of_a_session_has_each_shown_message_once(office: Office, command: str) -> None:
    first, second = office.send("alpha", "beta", "one"), office.send("alpha", "beta", "two", "--thread", "t")
    for _ in range(2):
        for id in (first, second):
            ended = office(
                *words(command, id), "--session", "s1", *(("--timeout", "0") if command == "wait" else ())
            )
            assert ended.code in (0, 124)
    assert sorted(office.facts("beta", "s1", "presented")) == sorted([first, second])
    (session,) = [line for line in office.records("beta")["s1"] if line["fact"] == "session"]
    assert (session["session"], session["host"], session["workdir"]) == (
        "s1",
        "command-line",
        office.workdir("beta"),
    )
    assert session["machine"] == office.header("beta", first)["machine"].strip('"')


@pytest.mark.parametrize("command", SHOWING)
def test_without_a_session_nothing_is_recorded(office: Office, command: str) -> None:
    id = office.send("alpha", "beta", "one")
    before = tree(office.bus)
    assert office(*words(command, id)).code == 0
    assert tree(office.bus) == before


@pytest.mark.parametrize("command", SHOWING)
def test_output_that_did_not_reach_the_reader_is_not_recorded(desk: Cli, command: str) -> None:
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    argv = [*words(command, id), "--session", "s1"]
    with open("/dev/full", "wb") as full:
        process = desk.start(*argv, stdout=full)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 1, said
    reader, writer = os.pipe()
    os.close(reader)
    broken = desk.start(*argv, stdout=writer)
    os.close(writer)
    broken.communicate(timeout=30)
    assert broken.returncode == 141
    record = next(iter(desk.bus.glob("beta/sessions/*/s1.jsonl")), None)
    assert record is None or "presented" not in record.read_text()
    assert desk(*argv).code == 0
    assert id in next(desk.bus.glob("beta/sessions/*/s1.jsonl")).read_text()


@pytest.mark.parametrize("command", SHOWING)
def test_messages_are_shown_with_a_warning_if_the_record_cannot_be_written(
    office: Office, command: str
) -> None:
    id = office.send("alpha", "beta", "one")
    (office.bus / "beta" / "sessions").touch()
    ended = office(*words(command, id), "--session", "s1")
    if command == "wait":
        assert (ended.code, ended.out) == (75, ""), "it could not even keep others of its session away"
    else:
        assert ended.code == 4
        assert id in ended.out
        assert "the messages were shown, but session s1 could not record it" in ended.err


@pytest.mark.parametrize("command", SHOWING)
def test_an_invalid_session_name_is_refused_before_anything_is_shown(office: Office, command: str) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office(*words(command, id), "--session", "no/where")
    assert (ended.code, ended.out) == (2, "")
    assert "is not a session" in ended.err


def test_messages_are_shown_with_a_note_if_the_machine_can_keep_no_id(desk: Cli) -> None:
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    agents = desk.home / ".agents"
    (agents / "machine.json").unlink()
    agents.rmdir()
    agents.touch()
    for command in SHOWING:
        ran = desk(*words(command, id), "--session", "s1")
        assert (ran.code, id in ran.out) == (0, True), ran
        assert "no id that could be kept: Not a directory" in ran.err
    acknowledged = desk("ack", "beta", id, "--session", "s1")
    assert acknowledged.code == 75
    assert "AGENT_MAIL_MACHINE" in acknowledged.err
    assert not (desk.bus / "beta" / "sessions").exists()


def test_my_sent_messages_are_not_presented_to_me(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    for command in ("read", "thread"):
        assert office(command, "alpha", id, "--session", "s1").code == 0
    assert office.facts("alpha", "s1", "presented") == []


def test_a_message_whose_name_cannot_be_written_as_it_is_gets_a_record_too(office: Office) -> None:
    names = [
        "Odd Name.md",
        "20260704-0930-alpha-x;rm.md",
        "20260704-0930-ALPHA-x.md",
        "no-suffix",
        "\x1b[2J.md",
    ]
    for name in names:
        (office.bus / "beta" / "inbox" / name).write_text("---\nfrom: alpha\n---\ntext\n")
    found = office.json("wait", "beta", "--session", "s1")["messages"]
    assert sorted(one["file"] for one in found) == sorted(names)
    keys = office.facts("beta", "s1", "presented")
    assert len(set(keys)) == len(names)
    assert all(key.startswith("#") and len(key) == 33 for key in keys)
    assert office("wait", "beta", "--session", "s1", "--timeout", "0").code == 124
    assert office("check", "beta", "--session", "s1").code == 0
    assert len(office.facts("beta", "s1", "presented")) == len(names)


def test_an_unarchived_message_is_not_new_to_a_session_that_saw_it(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    assert office("check", "beta", "--session", "s1").code == 0
    office("archive", "beta", id)
    office("unarchive", "beta", id)
    assert office("wait", "beta", "--session", "s1", "--timeout", "0").code == 124
    assert [one["id"] for one in office.json("wait", "beta", "--session", "s2")["messages"]] == [id]


def test_reading_from_the_archive_records_presented_too(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    office("archive", "beta", id)
    assert office("read", "beta", id, "--raw", "--session", "s1").code == 0
    assert office.facts("beta", "s1", "presented") == [id]


def test_simultaneous_checks_of_one_session_show_everything_and_record_it_once(desk: Cli) -> None:
    ids = [desk("send", "alpha", "beta", slug, stdin="text").out.strip() for slug in ("one", "two")]
    checks = [desk.start("check", "beta", "--session", "s1") for _ in range(6)]
    for process in checks:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        assert all(id.encode() in out for id in ids)
    (record,) = desk.bus.glob("beta/sessions/*/s1.jsonl")
    lines = record.read_text().split("\n")
    assert sorted(line for line in lines if "presented" in line) == sorted(set(lines) - {""} - {lines[1]})
    assert len(lines) == 1 + 1 + len(ids)


def test_messages_are_shown_in_a_working_directory_that_was_removed(desk: Cli, tmp_path: Path) -> None:
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    away = tmp_path / "away"
    away.mkdir()
    script = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *desk.command("check", "beta", "--session", "s1")],
        cwd=away,
        env=desk.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert id in done.stdout
    assert '"workdir": ""' in next(desk.bus.glob("beta/sessions/*/s1.jsonl")).read_text()
    assert id in read_box(desk.bus / "beta").inbox
