"""`check` and `thread` with --limit: what is left out is counted, can be had, and is recorded as shown to nobody."""

from __future__ import annotations

import pytest

from tests.conversations.office import Office


@pytest.fixture
def ids(office: Office) -> list[str]:
    """Five messages that wait for beta in one thread, oldest first."""
    return [office.send("alpha", "beta", slug, "--thread", "plan") for slug in "edcba"]


def presented(office: Office) -> set[str]:
    return set(office.facts("beta", "s1", "presented"))


def shown_in(text: str, ids: list[str]) -> list[str]:
    return [id for id in ids if f"\n{id}  " in text]


def test_check_lists_the_oldest_says_how_many_more_wait_and_how_to_see_them(
    office: Office, ids: list[str]
) -> None:
    out = office("check", "beta", "--limit", "2").out
    assert out.startswith("beta: 5 waiting, oldest first")
    assert shown_in(out, ids) == ids[:2]
    assert "\n3 more wait, not listed: `agentmail check beta`\n" in out
    found = office.json("check", "beta", "--limit", "2")
    assert (found["count"], found["left_out"]) == (5, 3)
    assert [one["id"] for one in found["messages"]] == ids[:2]


def test_thread_prints_the_latest_and_says_how_many_are_older(office: Office, ids: list[str]) -> None:
    out = office("thread", "beta", "plan", "--limit", "2").out
    assert out.startswith(
        "beta: thread plan, 5 messages, oldest first\n3 older not shown: `agentmail thread beta plan`\n"
    )
    assert shown_in(out, ids) == ids[3:]
    found = office.json("thread", "beta", "plan", "--limit", "2")
    assert ([one["id"] for one in found["messages"]], found["left_out"]) == (ids[3:], 3)


@pytest.mark.parametrize(
    ("words", "which"), [(("check", "beta"), slice(0, 2)), (("thread", "beta", "plan"), slice(3, 5))]
)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_only_what_was_printed_is_recorded_as_presented(
    office: Office, ids: list[str], words: tuple[str, ...], which: slice, json: tuple[str, ...]
) -> None:
    assert office(*words, "--limit", "2", "--session", "s1", *json).code == 0
    assert presented(office) == set(ids[which])
    assert office(*words, "--session", "s1", *json).code == 0
    assert presented(office) == set(ids)


@pytest.mark.parametrize("words", [("check", "beta"), ("thread", "beta", "plan")])
def test_a_limit_that_leaves_nothing_out_changes_nothing(
    office: Office, ids: list[str], words: tuple[str, ...]
) -> None:
    assert office.json(*words, "--limit", "5")["left_out"] == 0
    assert "not " not in office(*words, "--limit", "99").out.replace("not orders", "").replace(
        "not given", ""
    )


@pytest.mark.parametrize("limit", ["0", "-1", "two", "1.5", "", "٣", "9" * 30])
@pytest.mark.parametrize("words", [("check", "beta"), ("thread", "beta", "plan")])
def test_a_limit_that_is_not_a_number_is_refused(
    office: Office, ids: list[str], words: tuple[str, ...], limit: str
) -> None:
    ended = office(*words, f"--limit={limit}")
    assert (ended.code, ended.out) == (2, "")
    assert "--limit" in ended.err


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("archive", "archived 21 messages"),
        ("ack", "acknowledged 21 messages by session s1"),
    ],
)
def test_a_partial_failure_of_many_lists_the_failures_and_counts_the_rest(
    office: Office, command: str, done: str
) -> None:
    waiting = [office.send("alpha", "beta", f"m{number}") for number in range(21)]
    missing = [f"20260101-0000-alpha-no{number}" for number in range(25)]
    words = ("--session", "s1", "--as", "beta") if command == "ack" else ()
    ended = office(command, "beta", *waiting, *missing, *words)
    assert (ended.code, ended.out) == (1, f"{done}\n")
    lines = [line for line in ended.err.splitlines() if "warning" not in line]
    assert len(lines) == 21
    assert "no message 20260101-0000-alpha-no0 " in lines[0]
    assert lines[-1] == "agentmail: and 5 more failed; with --json all are named"


def test_without_a_failure_and_of_few_each_has_its_line(office: Office) -> None:
    waiting = [office.send("alpha", "beta", f"m{number}") for number in range(21)]
    assert office("archive", "beta", *waiting).out == "".join(f"archived {id}\n" for id in waiting)
    ended = office("archive", "beta", waiting[0], "20260101-0000-alpha-no")
    assert (ended.code, ended.out) == (1, f"already archived {waiting[0]}\n")
