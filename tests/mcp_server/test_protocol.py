"""What a client may write, in any order and however odd: the server answers or passes over it, and goes on."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from agentmail import __version__
from agentmail.mcp.wire import LINE_MAX
from tests.mcp_server.conftest import Connect
from tests.mcp_server.raw_client import PATIENCE, RawClient, text_of
from tests.support.cli import Cli


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_version_of_the_client_is_taken_where_it_is_known(connect: Connect, version: str) -> None:
    said = connect(begin=False).initialize(version)
    assert said["protocolVersion"] == version
    assert said["serverInfo"]["version"] == __version__
    assert said["capabilities"] == {"tools": {}, "resources": {"subscribe": True}}


@pytest.mark.parametrize("version", ["2031-01-01", "", 7, None])
def test_another_version_gets_the_newest(connect: Connect, version: str) -> None:
    assert connect(begin=False).initialize(version)["protocolVersion"] == "2025-11-25"


GARBAGE = [
    b"not json",
    b'{"half": ',
    b"[]",
    b"7",
    b"\xff\xfe",
    b"[" * 100_000,
    b"x" * (LINE_MAX + 10),
]


@pytest.mark.parametrize("line", GARBAGE, ids=lambda line: line[:8].decode("latin-1"))
def test_a_line_that_is_no_message_is_refused_and_the_next_one_answered(beta: RawClient, line: bytes) -> None:
    beta.write(line + b"\n")
    assert beta.next()["error"]["code"] == -32700
    assert beta.request("ping") == {}


PASSED_OVER = [
    {"method": "notifications/unheard-of"},
    {"method": "notifications/cancelled", "params": {"requestId": [1]}},
    {"method": "notifications/cancelled", "params": {"requestId": 99}},
    {"method": "notifications/cancelled", "params": []},
    {"id": 77, "result": {}},
    {"id": "agentmail-roots", "result": {"roots": [7, {"uri": 3}, {"uri": "file://host/x"}]}},
    {"id": "agentmail-roots", "error": {"code": 1, "message": "no"}},
    {},
]


@pytest.mark.parametrize("message", PASSED_OVER, ids=json.dumps)
def test_a_message_that_needs_no_answer_gets_none(beta: RawClient, message: dict) -> None:
    beta.send(message)
    beta.write(b"\n  \n")
    assert beta.request("ping") == {}
    assert beta.outcome("check")["identity"] == "beta"
    assert beta.others == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": 5, "method": "prompts/list"}, -32601),
        ({"id": 5, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}, -32002),
        ({"id": 5, "method": "resources/read", "params": {"uri": "mail://beta/20260101-0000-x"}}, -32002),
        ({"id": 5, "method": "resources/read", "params": {"uri": "mail://../inbox"}}, -32002),
        ({"id": 5, "method": "resources/read", "params": {"uri": {}}}, -32002),
        ({"id": 5, "method": "resources/subscribe", "params": {"uri": "mail://nobody/inbox"}}, -32602),
        ({"id": {}, "method": "ping"}, -32600),
    ],
)
def test_other_errors_are_those_of_the_protocol(beta: RawClient, message: dict, code: int) -> None:
    beta.send(message)
    assert beta.next()["error"]["code"] == code
    assert beta.request("ping") == {}


@pytest.mark.parametrize(
    "params",
    [{}, {"name": 7}, {"name": "check"}, {"name": "mail_check", "arguments": [1]}, {"name": "mail_"}],
    ids=json.dumps,
)
def test_a_call_without_a_tool_or_arguments_is_an_answer_for_the_model(beta: RawClient, params: dict) -> None:
    result = beta.request("tools/call", **params)
    assert result["isError"]
    assert "nothing was changed" in text_of(result)


def test_an_error_of_the_disk_is_a_line_and_no_empty_inbox(beta: RawClient, run: Cli) -> None:
    inbox = run.bus / "beta" / "inbox"
    if inbox.exists():
        inbox.rmdir()
    inbox.write_text("no directory")
    for result in (beta.call("check"), beta.call("wait", timeout=600)):
        assert result["isError"]
        assert "agentmail doctor" in text_of(result)
        assert "structuredContent" not in result
    inbox.unlink()
    assert beta.outcome("check")["count"] == 0


def test_a_tool_answers_before_the_client_has_said_who_it_is(connect: Connect) -> None:
    assert connect(begin=False).outcome("check")["count"] == 0


def test_calls_are_answered_in_their_order_although_they_come_at_once(beta: RawClient) -> None:
    ids = [beta.start("check") for _ in range(20)]
    assert [beta.next()["id"] for _ in ids] == ids


def test_the_server_ends_with_its_client_also_while_it_waits(connect: Connect) -> None:
    client = connect()
    client.start("wait", {"progressToken": "t"}, timeout=600)
    client.until(lambda message: message.get("method") == "notifications/progress")
    assert client.end() == 0
    assert client.process.stderr
    assert client.process.stderr.read() == b""


def test_a_client_that_reads_no_more_ends_it(run: Cli) -> None:
    process = run.start("mcp")
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    assert process.wait(PATIENCE) == 0
    process.communicate()


def test_a_signal_ends_it_as_it_ends_any_command(connect: Connect) -> None:
    client = connect()
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(PATIENCE) == 143


def test_it_takes_no_words_and_explains_itself(run: Cli) -> None:
    assert run("mcp", "beta").code == 2
    helped = run("mcp", "--help")
    assert (helped.code, helped.err) == (0, "")
    assert "MCP on standard input and output" in helped.out
    assert run("help", "mcp").out == helped.out
    assert "  mcp " in run("-h").out


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc for the descriptors")
def test_nothing_but_the_protocol_can_reach_standard_output(connect: Connect) -> None:
    from pathlib import Path

    client = connect()
    fds = Path(f"/proc/{client.process.pid}/fd")
    assert (fds / "1").readlink() == (fds / "2").readlink()
