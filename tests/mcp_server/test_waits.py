"""`mail_wait`: beside other calls, told of, cancelled, and never hiding a message."""

from __future__ import annotations

from typing import Any

import pytest

from tests.mcp_server.conftest import Connect
from tests.mcp_server.raw_client import RawClient, text_of
from tests.mcp_server.test_records import presented, sent
from tests.support.cli import Cli

LONG = 600


def begun(client: RawClient, token: str = "t") -> int:
    """A long wait that has had its first look; the id of the request."""
    id = client.start("wait", {"progressToken": token}, timeout=LONG)
    client.until(lambda message: progress_of(message) == token)
    return id


def progress_of(message: dict[str, Any]) -> object:
    return message["params"]["progressToken"] if message.get("method") == "notifications/progress" else None


def test_a_wait_ends_when_something_comes_and_is_recorded(connect: Connect, run: Cli) -> None:
    client = connect()
    waiting = begun(client)
    id = sent(run)
    result = client.answer(waiting)["result"]
    assert [one["id"] for one in result["structuredContent"]["messages"]] == [id]
    assert result["structuredContent"]["how"] in ("notification", "polling")
    assert client.request("ping") == {}
    assert client.end() == 0
    assert presented(run, id)


def test_other_calls_are_answered_while_it_waits_and_one_of_two_waits_gets_a_message(
    connect: Connect,
) -> None:
    client = connect()
    waits = [begun(client, token) for token in ("a", "b")]
    assert client.outcome("check")["count"] == 0
    id = client.outcome("send", to="beta", slug="to-me", subject="s", text="t")["id"]
    # The answer to a wait may come before that of the call that ended it.
    answers = [one for one in client.others if one.get("id") in waits] or [
        client.until(lambda message: message.get("id") in waits)
    ]
    assert [one["id"] for one in answers[0]["result"]["structuredContent"]["messages"]] == [id]
    client.others.clear()
    assert client.outcome("wait", timeout=1)["messages"] == []
    assert [one for one in client.others if one.get("id") in waits] == []


def test_time_that_is_up_is_no_error(connect: Connect) -> None:
    result = connect().call("wait", timeout=0)
    assert (result["isError"], result["structuredContent"]["messages"]) == (False, [])
    assert "nothing new" in text_of(result)


def test_a_cancelled_wait_gets_no_answer_and_shows_nothing(connect: Connect, run: Cli) -> None:
    client = connect()
    waiting = begun(client)
    client.notify("notifications/cancelled", requestId=waiting, reason="enough")
    assert client.request("ping") == {}
    id = sent(run)
    assert [one["id"] for one in client.outcome("wait", timeout=LONG)["messages"]] == [id]
    assert not [one for one in client.others if one.get("id") == waiting]


def test_a_call_that_is_taken_back_before_its_turn_is_not_made(connect: Connect, run: Cli) -> None:
    client = connect("beta", capabilities={"roots": {}})
    client.until(lambda message: message.get("method") == "roots/list")
    # The first call waits for the roots, and the others for the first.
    first = client.start("check")
    second = client.start("send", to="alpha", slug="not-meant", subject="s", text="t")
    third = client.start("wait", timeout=LONG)
    for id in (second, third):
        client.notify("notifications/cancelled", requestId=id)
    client.send({"id": "agentmail-roots", "result": {"roots": []}})
    client.answer(first)
    assert client.request("ping") == {}
    assert client.others == []
    assert run("check", "alpha", "--json").json["count"] == 0


def test_an_unknown_identity_is_said_and_not_waited_for(beta: RawClient) -> None:
    result = beta.call("wait", identity="nobody", timeout=LONG)
    assert result["isError"]
    assert "nobody" in text_of(result)


@pytest.mark.slow
def test_the_client_hears_again_and_again_that_it_goes_on(connect: Connect) -> None:
    client = connect()
    begun(client)
    message = client.until(lambda message: progress_of(message) == "t")
    assert 5 <= message["params"]["progress"] < LONG
    assert message["params"]["total"] == LONG
