"""Which session a call belongs to, which identity it acts as, and what is recorded of what it was shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.rig.waiting import wait_for
from tests.mcp_server.conftest import Connect
from tests.mcp_server.raw_client import RawClient, text_of
from tests.support.cli import Cli

ROOTS = {"roots": {"listChanged": True}}


def sent(run: Cli, slug: str = "hello") -> str:
    return run("send", "alpha", "beta", slug, "A subject", stdin="text\n").out.strip()


def sessions(run: Cli, identity: str = "beta") -> dict[str, dict]:
    """The sessions that left a record in a mailbox."""
    return {one["session"]: one for one in run("sessions", identity, "--json").json["sessions"]}


def recorded(run: Cli) -> dict[str, dict]:
    """The sessions with a record, once there is one: it is written after the answer."""
    return wait_for(lambda: sessions(run), "a record")


def presented(run: Cli, id: str) -> set[str]:
    """The sessions that were shown a message."""
    (message,) = run("thread", "beta", id, "--json").json["messages"]
    return {one["session"] for one in message["receipts"] if one["presented"]}


def test_a_client_is_a_session_that_is_named_with_its_program(connect: Connect, run: Cli) -> None:
    id = sent(run)
    first, second = connect(), connect()
    first.outcome("check")
    ((session, record),) = recorded(run).items()
    assert session.startswith("mcp-")
    assert (record["host"], record["host_version"]) == ("raw-client", "7.1")
    assert [one["id"] for one in second.outcome("wait", timeout=0)["messages"]] == [id]
    wait_for(lambda: len(presented(run, id)) == 2, "two records")
    assert second.outcome("wait", timeout=0)["messages"] == []


@pytest.mark.parametrize(
    ("info", "host", "version"),
    [
        ({"name": "claude-code-mcp-client", "version": "2"}, "claude-code", "2"),
        ({"name": "claude-coder", "version": "v" * 1000}, "claude-coder", "v" * 40),
        ({"name": "a\nb\u202e", "version": 7}, "a\\u{a}b\\u{202e}", ""),
        ({}, "mcp", ""),
        ([], "mcp", ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_host_that_is_known_has_one_name(
    connect: Connect, run: Cli, info: object, host: str, version: str
) -> None:
    sent(run)
    client = connect(begin=False)
    client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    client.outcome("check")
    (record,) = recorded(run).values()
    assert (record["host"], record["host_version"]) == (host, version)


def test_the_session_that_the_host_names_is_that_of_the_call(connect: Connect, run: Cli) -> None:
    id = sent(run)
    client = connect(AGENT_MAIL_SESSION="by-variable")
    client.call("read", {"threadId": "thread-1", "other": 7}, id=id)
    client.call("read", {"threadId": "not a session/.."}, id=id)
    wait_for(lambda: presented(run, id) == {"thread-1", "by-variable"}, "both records")
    assert client.call("wait", {"threadId": "thread-1"}, timeout=0)["structuredContent"]["messages"] == []
    new = client.call("wait", {"threadId": "thread-2"}, timeout=0)["structuredContent"]["messages"]
    assert [one["id"] for one in new] == [id]


def test_a_message_carries_the_session_that_sent_it(connect: Connect, run: Cli) -> None:
    alpha = connect("alpha")
    alpha.call("send", {"threadId": "thread-1"}, to="beta", slug="hello", subject="s", text="t")
    (message,) = run("check", "beta", "--json").json["messages"]
    assert run("read", "beta", message["id"], "--json").json["header"]["session"] == "thread-1"


def test_a_list_records_only_what_it_shows(connect: Connect, run: Cli) -> None:
    shown, left = sent(run, "first"), sent(run, "second")
    found = connect().outcome("check", limit=1)
    assert ([one["id"] for one in found["messages"]], found["left_out"]) == ([shown], 1)
    wait_for(lambda: presented(run, shown), "the record")
    assert not presented(run, left)


def test_what_searches_and_rosters_show_is_recorded_nowhere(connect: Connect, run: Cli) -> None:
    sent(run)
    client = connect()
    client.outcome("search", words="text")
    client.outcome("roster")
    assert sessions(run) == {}


def test_the_variable_then_the_directory_decides_the_identity(
    connect: Connect, workdirs: dict[str, Path], run: Cli
) -> None:
    assert connect("beta", AGENT_MAIL_SELF="alpha").outcome("check")["identity"] == "alpha"
    inner = workdirs["beta"] / "inner"
    inner.mkdir()
    assert connect(inner).outcome("check")["identity"] == "beta"
    result = connect(run.home).call("check")
    assert result["isError"]
    assert "no identity is registered for" in text_of(result)


def answer_roots(client: RawClient, *directories: Path) -> None:
    """Answer the server's question for the directories of the client."""
    asked = client.until(lambda message: message.get("method") == "roots/list")
    client.send({"id": asked["id"], "result": {"roots": [{"uri": one.as_uri()} for one in directories]}})


def test_the_roots_of_the_client_come_before_the_current_directory(
    connect: Connect, workdirs: dict[str, Path], run: Cli
) -> None:
    client = connect("beta", capabilities=ROOTS)
    asked = client.start("check")  # it waits for the answer about the roots
    answer_roots(client, run.home, workdirs["alpha"])
    assert client.answer(asked)["result"]["structuredContent"]["identity"] == "alpha"
    client.notify("notifications/roots/list_changed")
    answer_roots(client, workdirs["beta"])
    assert client.outcome("check")["identity"] == "beta"


def test_a_client_that_never_names_its_roots_is_answered_all_the_same(connect: Connect) -> None:
    client = connect("beta", capabilities=ROOTS)
    assert client.outcome("check")["identity"] == "beta"
    assert client.outcome("check")["identity"] == "beta"


def test_a_look_into_the_mailbox_of_another_identity_records_nothing_and_says_so(
    connect: Connect, run: Cli
) -> None:
    sent(run)
    result = connect("alpha").call("check", identity="beta")
    assert "nothing is recorded" in text_of(result)
    assert sessions(run) == {}


def test_a_message_under_another_name_is_sent_with_a_warning(connect: Connect) -> None:
    result = connect("alpha").call("send", sender="beta", to="alpha", slug="s", subject="s", text="t")
    assert "this workdir says alpha, and this is sent as beta" in text_of(result)
    assert result["structuredContent"]["warnings"]


def test_a_record_that_cannot_be_written_is_said_with_the_next_answer(connect: Connect, run: Cli) -> None:
    id = sent(run)
    client = connect(AGENT_MAIL_SESSION="s1", AGENT_MAIL_MACHINE="m1")
    blocked = run.bus / "beta" / "sessions" / "m1" / "s1.jsonl"
    blocked.mkdir(parents=True)
    assert client.outcome("read", id=id)["body"] == "text\n"
    assert "session s1 could not record it" in text_of(client.call("roster"))
    assert "could not record" not in text_of(client.call("roster"))
