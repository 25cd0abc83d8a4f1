"""Several recipients: one id and the same bytes for all, an outcome for each, and nothing ever rolled back."""

from __future__ import annotations

import json

import pytest

from tests.conversations.office import Office
from tests.support.reader import header_and_body


def break_mailbox(office: Office, identity: str) -> None:
    """What a mailbox is claimed in is no directory any more."""
    tmp = office.bus / identity / "tmp"
    tmp.rename(tmp.with_name("tmp-away"))
    tmp.touch()


def test_all_get_the_same_bytes_under_one_id_and_the_sender_keeps_a_copy(office: Office) -> None:
    id = office.send("alpha", "beta,@gamma", "news", "A", "subject", body="to all\n")
    copies = [office.box("beta").inbox[id], office.box("gamma").inbox[id], office.box("alpha").sent[id]]
    assert len(set(copies)) == 1
    header, body = header_and_body(copies[0])
    assert (header["to"], header["from"], header["thread"], body) == ("beta, gamma", "alpha", id, b"to all\n")
    assert "cc" not in header
    assert not any(office.box(identity).tmp for identity in ("alpha", "beta", "gamma"))


def test_a_recipient_in_cc_gets_the_message_too(office: Office) -> None:
    id = office.send("alpha", "beta", "news", "--cc", "gamma,beta")
    assert office.header("gamma", id)["cc"] == "gamma"
    for identity in ("beta", "gamma"):
        (message,) = office.json("check", identity)["messages"]
        assert (message["id"], message["flags"]) == (id, [])


def test_all_means_every_registered_identity_except_the_sender(office: Office) -> None:
    id = office.send("beta", "@all", "news")
    assert office("register", "delta", "-", "comes later").code == 0
    assert office.header("alpha", id)["to"] == "alpha, gamma"
    assert id in office.box("gamma").inbox
    assert id not in office.box("beta").received
    assert not office.box("delta").received


def test_all_is_refused_if_only_the_sender_is_registered(office: Office) -> None:
    (office.bus / "registry.md").write_text(
        "| id | workdir | responsibility |\n|---|---|---|\n| beta | - | x |\n"
    )
    ended = office("send", "beta", "@all", "news")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody else is registered" in ended.err


def test_all_is_a_temporary_failure_if_the_registry_cannot_be_read(office: Office) -> None:
    (office.bus / "registry.md").write_bytes(b"\xff\xfe")
    ended = office("send", "beta", "@all", "news")
    assert (ended.code, ended.out) == (75, "")
    assert "not valid UTF-8" in ended.err


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("beta,nobody", 3),
        ("beta,", 2),
        (",beta", 2),
        ("beta,Bad_Name", 2),
        ("@all,beta", 2),
        ("all", 2),
        ("", 2),
    ],
)
def test_one_unknown_recipient_prevents_every_delivery(office: Office, to: str, code: int) -> None:
    ended = office("send", "alpha", to, "news")
    assert (ended.code, ended.out) == (code, "")
    assert not office.box("beta").received
    assert not (office.bus / "alpha" / "sent").exists()


def test_a_recipient_named_twice_gets_the_message_once_and_the_list_keeps_its_order(office: Office) -> None:
    id = office.send("alpha", "gamma, beta,gamma", "news")
    assert office.header("gamma", id)["to"] == "gamma, beta"


def test_an_id_that_is_taken_anywhere_is_taken_for_all(office: Office) -> None:
    second_before = office.clock.moment
    first = office.send("alpha", "gamma", "news")
    office("archive", "gamma", first)
    office.clock.moment = second_before
    second = office.send("alpha", "beta,gamma", "news")
    assert second == f"{first}-2"
    assert set(office.box("beta").inbox) == set(office.box("gamma").inbox) == {second}


@pytest.mark.parametrize("how", ["its tmp is a file", "its mailbox is a file"])
def test_failed_recipients_are_named_and_the_others_keep_the_message(office: Office, how: str) -> None:
    if how == "its tmp is a file":
        break_mailbox(office, "beta")
    else:
        (office.bus / "beta").rename(office.bus / ".beta")
        (office.bus / "beta").touch()
    ended = office("send", "alpha", "beta,gamma", "news")
    id = ended.out.strip()
    assert ended.code == 1
    delivered, failed = sorted(ended.err.splitlines(), key=lambda line: "cannot" in line)
    assert delivered == f"agentmail: the other 1 got {id}"
    assert "cannot deliver to beta" in failed
    assert "beta did not get it" in failed
    assert id in office.box("gamma").inbox
    assert office.box("alpha").sent[id] == office.box("gamma").inbox[id]


def test_the_outcome_of_each_recipient_is_in_the_json(office: Office) -> None:
    break_mailbox(office, "beta")
    found = office.json("send", "alpha", "beta,gamma", "news", code=1)
    assert found["outcome"] == "partly-delivered"
    assert {one["identity"]: (one["outcome"], one.get("exit", 0)) for one in found["recipients"]} == {
        "beta": ("temporary-failure", 75),
        "gamma": ("delivered", 0),
    }
    assert found["path"] == str(office.bus / "gamma" / "inbox" / f"{found['id']}.md")


def test_no_id_is_printed_if_no_recipient_gets_the_message_and_a_second_try_is_safe(office: Office) -> None:
    for identity in ("beta", "gamma"):
        break_mailbox(office, identity)
    ended = office("send", "alpha", "beta,gamma", "news")
    assert (ended.code, ended.out) == (75, "")
    assert ended.err.count("did not get it") == 2
    assert office.json("send", "alpha", "beta,gamma", "news", code=75)["outcome"] == "not-delivered"
    assert not office.box("alpha").sent


def test_a_sent_copy_that_cannot_be_kept_is_reported_and_undoes_nothing(office: Office) -> None:
    (office.bus / "alpha" / "sent").touch()
    ended = office("send", "alpha", "beta,gamma", "news", "--json")
    assert ended.code == 4
    found = json.loads(ended.out)
    assert (found["outcome"], found["exit"]) == ("unconfirmed", 4)
    assert [one["outcome"] for one in found["recipients"]] == ["delivered", "delivered"]
    assert found["id"] in office.box("beta").inbox
    assert found["id"] in office.box("gamma").inbox


def test_a_copy_that_cannot_be_kept_hides_no_recipient_that_failed(office: Office) -> None:
    (office.bus / "alpha" / "sent").touch()
    break_mailbox(office, "beta")
    ended = office("send", "alpha", "beta,gamma", "news")
    assert ended.code == 1
    assert "beta did not get it" in ended.err
    assert "your own copy could not be kept" in ended.err


def test_a_header_with_too_many_recipients_is_refused_before_anything_is_touched(office: Office) -> None:
    many = [f"agent-with-a-long-name-{number:03}" for number in range(200)]
    registry = office.bus / "registry.md"
    registry.write_text(registry.read_text() + "".join(f"| {one} | - | x |\n" for one in many))
    ended = office("send", "alpha", "@all", "news")
    assert (ended.code, ended.out) == (2, "")
    assert "list of recipients" in ended.err
    assert not office.box("beta").received


def test_a_repeated_send_with_another_cc_is_another_message(office: Office) -> None:
    first = office.send("alpha", "beta", "news", "--once")
    assert office.send("alpha", "beta", "news", "--once") == first
    other = office.send("alpha", "beta", "news", "--once", "--cc", "gamma")
    assert other != first
    assert office.header("gamma", other)["id"] == other


def test_wake_support_of_a_recipient_is_unknown_until_a_session_reports_it(office: Office) -> None:
    assert office.json("send", "alpha", "beta", "one")["recipients"][0]["wake_supported"] is None
    record = office.bus / "beta" / "sessions" / "m1" / "s1.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text(
        '\n{"fact": "session", "session": "s1", "wake": true, "time": "2026-07-04T09:30:00.000000Z"}'
    )
    (one,) = office.json("send", "alpha", "beta", "two")["recipients"]
    assert (one["wake_supported"], one["wake_seen"]) == (True, "2026-07-04T09:30:00.000000Z")


def test_unreadable_session_records_do_not_fail_a_delivery(office: Office) -> None:
    (office.bus / "beta" / "sessions").touch()
    (one,) = office.json("send", "alpha", "beta", "one")["recipients"]
    assert (one["outcome"], one["wake_supported"]) == ("delivered", None)


def test_send_prints_the_recipients_and_the_thread_beside_the_id(office: Office) -> None:
    ended = office("send", "alpha", "beta,gamma", "news")
    assert ended.err == f"agentmail: to beta, gamma in thread {ended.out.strip()}\n"
    answered = office("reply", "beta", ended.out.strip())
    assert answered.err == f"agentmail: to alpha in thread {ended.out.strip()}\n"
    assert office("send", "alpha", "beta,gamma", "news", "--json").err == ""


def test_failures_of_many_recipients_are_listed_and_the_others_are_counted(office: Office) -> None:
    many = [f"agent-{number:02}" for number in range(60)]
    for identity in many:
        assert office("register", identity, "-", "counts").code == 0
    to = office("send", "alpha", ",".join(many), "news").err.splitlines()[-1]
    assert "to agent-00, agent-01, agent-02, agent-03, agent-04 and 55 more in thread " in to
    for identity in many[:2]:
        break_mailbox(office, identity)
    ended = office("send", "alpha", ",".join(many), "more")
    assert ended.code == 1
    said = [line for line in ended.err.splitlines() if "warning" not in line]
    assert [line.split(" did not get it")[0].rsplit(" ", 1)[-1] for line in said[:-1]] == many[:2]
    assert said[-1] == f"agentmail: the other 58 got {ended.out.strip()}"
    for identity in many[2:30]:
        break_mailbox(office, identity)
    said = office("send", "alpha", ",".join(many), "again").err.splitlines()
    assert "agentmail: and 10 more failed; with --json all are named" in said
    assert len([line for line in said if "did not get it" in line]) == 20
