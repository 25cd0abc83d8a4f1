"""The keys that conversations add to a message's header, and messages of any age that have none of them."""

from __future__ import annotations

import gzip

import pytest

from tests.conversations.office import Office

FIRST = ["id", "from", "to", "thread", "re", "subject", "priority", "date"]
#: What other programs and other days have left: no date; no keys of ours at all; keys of a later day.
OLD = {
    "20260101-0000-alpha-old": "---\nid: 20260101-0000-alpha-old\nfrom: alpha\nto: beta\n"
    "thread: 20260101-0000-alpha-old\nre:\nsubject: old\npriority: normal\n---\nan old text\n",
    "20260101-0001-someone-script": "---\nfrom: alpha\nsubject: re: fix: x\n---\na script's text\n",
    "20260101-0002-alpha-later": "---\nfrom: alpha\nkind: telepathy\nsender_kind: ghost\nmachine: m9\n"
    'evidence: "no json"\nnew_key: what comes\n---\na later text\n',
    "20260101-0003-nobody": "no header at all\n",
}


def test_a_plain_message_has_only_the_first_keys_and_the_machine(office: Office) -> None:
    header = office.header("beta", office.send("alpha", "beta", "news"))
    assert list(header) == [*FIRST, "machine"]


def test_given_values_are_in_the_header_in_one_order(office: Office) -> None:
    options = ("--kind", "result", "--sender-kind", "agent", "--session", "s-1.A", "--cc", "gamma")
    ref = '{"type": "run", "id": "r1"}'
    id = office.send("alpha", "beta", "news", *options, "--evidence", ref)
    header = office.header("beta", id)
    assert list(header) == [*FIRST, "machine", "session", "kind", "sender_kind", "cc", "evidence"]
    assert (header["session"], header["kind"], header["sender_kind"]) == ("s-1.A", "result", "agent")


@pytest.mark.parametrize("kind", ["message", "handoff", "result", "blocked", "note", "knowledge_ref"])
def test_each_kind_is_shown_and_the_default_kind_is_not_written(office: Office, kind: str) -> None:
    id = office.send("alpha", "beta", "news", "--kind", kind)
    assert ("kind" in office.header("beta", id)) == (kind != "message")
    (message,) = office.json("thread", "beta", id)["messages"]
    assert message["kind"] == kind


@pytest.mark.parametrize(
    "options",
    [
        ("--kind", "task"),
        ("--kind", ""),
        ("--sender-kind", "robot"),
        ("--session", "no spaces"),
        ("--session", ""),
        ("--session", "x" * 65),
        ("--session", "-x"),
    ],
)
def test_an_unknown_value_is_refused_before_any_file_changes(
    office: Office, options: tuple[str, str]
) -> None:
    ended = office("send", "alpha", "beta", "news", *options)
    assert (ended.code, ended.out) == (2, "")
    assert "nothing was changed" in ended.err
    assert not office.box("beta").received
    assert not (office.bus.parent / "home" / ".agents").exists(), "not even an id for this machine was made"


@pytest.mark.parametrize("place", ["inbox", "archive"])
def test_old_messages_are_readable_and_stay_unchanged(office: Office, place: str) -> None:
    for id, text in OLD.items():
        name = f"{id}.md" if place == "inbox" else f"{id}.md.gz"
        data = text.encode() if place == "inbox" else gzip.compress(text.encode())
        (office.bus / "beta" / place / name).write_bytes(data)
    before = {path: path.read_bytes() for path in (office.bus / "beta" / place).iterdir()}
    for id in OLD:
        shown = office("thread", "beta", id)
        assert shown.code == 0, shown
        unknown = "machine m9" not in shown.out
        assert ("provenance unavailable" in shown.out) == unknown
        (message,) = office.json("thread", "beta", id)["messages"]
        assert (message["kind"], message["evidence"], message["receipts"]) == ("message", [], [])
        assert office("read", "beta", id, "--session", "s1").code == 0
        assert office("ack", "beta", id, "--session", "s1").code == 0
    for words in (
        ("threads", "beta"),
        ("receipts", "beta"),
        ("snapshot", "beta"),
        ("search", "beta", "text"),
    ):
        assert office(*words).code == 0
    assert len(office.json("search", "beta", "text")["matches"]) == 3
    assert {path: path.read_bytes() for path in (office.bus / "beta" / place).iterdir()} == before


def test_session_and_machine_come_from_the_environment_if_they_are_not_given(
    office: Office,
) -> None:
    from tests.support.cli import Cli

    cli = Cli(office.bus, office.bus.parent / "home", AGENT_MAIL_MACHINE="m-here")
    hosts = {"CLAUDE_CODE_SESSION_ID": "of-the-host"}
    for given, variables, expected in (
        ((), hosts, "of-the-host"),
        ((), {**hosts, "AGENT_MAIL_SESSION": "of-the-user"}, "of-the-user"),
        (("--session", "given"), {**hosts, "AGENT_MAIL_SESSION": "of-the-user"}, "given"),
    ):
        id = cli("send", "alpha", "beta", "news", *given, env={**variables}, stdin="text").out.strip()
        header = office.header("beta", id)
        assert (header["session"], header["machine"]) == (expected, "m-here")
    assert not (office.bus.parent / "home" / ".agents").exists()
