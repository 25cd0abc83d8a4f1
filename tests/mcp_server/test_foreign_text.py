"""Texts of others reach a model as data: printable, between marks, and no more than it can read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmail.mcp.bounds import CUT, ENTRIES, OTHER, TEXTS, Bounded, within_bounds
from tests.mcp_server.conftest import Connect
from tests.mcp_server.raw_client import RawClient, text_of
from tests.mcp_server.test_records import presented
from tests.support.cli import Cli

ID = "20260101-0000-alpha-odd"
#: Hides text from a person and shows it to a model, moves a terminal's cursor, turns the direction.
NASTY = "a\x1b[2Jb\u202ec\U000e0041d\u2028e\x07"


def put(run: Cli, body: bytes, subject: str = "s", name: str = f"{ID}.md") -> Path:
    """A message that somebody wrote by hand."""
    path = run.bus / "beta" / "inbox" / name
    head = f"---\nfrom: alpha\nto: beta\nsubject: {json.dumps(subject)}\n---\n"
    path.write_bytes(head.encode() + body)
    return path


def strings(value: object) -> list[str]:
    """All texts in a JSON value."""
    if isinstance(value, dict):
        return [*value, *(text for one in value.values() for text in strings(one))]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("check", {}),
        ("read", {"id": ID}),
        ("thread", {"thread": ID}),
        ("search", {"words": "odd"}),
        ("wait", {"timeout": 0, "body": True}),
    ],
)
def test_what_controls_a_terminal_or_hides_text_is_shown_as_what_it_is(
    beta: RawClient, run: Cli, verb: str, arguments: dict
) -> None:
    put(run, f"odd {NASTY}\n".encode(), NASTY)
    result = beta.call(verb, **arguments)
    for text in strings(result):
        assert not set(NASTY) - set("abcde[2J") & set(text), text
    assert "\\u{1b}" in text_of(result)


def test_a_name_that_is_not_utf8_is_shown_and_recorded_as_what_it_is(connect: Connect, run: Cli) -> None:
    (run.bus / "beta" / "inbox").joinpath("b\udcffd.md").write_text("text\n")
    beta = connect()
    (one,) = beta.outcome("wait", timeout=0)["messages"]
    assert one["file"] == "b\\u{dcff}d.md"
    assert beta.outcome("wait", timeout=0)["messages"] == []
    other = connect()
    other.outcome("check")
    assert other.outcome("wait", timeout=0)["messages"] == []


def test_a_huge_text_is_cut_and_marked_and_its_file_named(beta: RawClient, run: Cli) -> None:
    path = put(run, b"word \n" * 100_000)
    result = beta.call("read", id=ID)
    assert len(text_of(result)) < TEXTS + 2_000
    assert result["structuredContent"]["flags"] == [CUT]
    assert result["structuredContent"]["path"] == str(path)
    assert "not whole" in text_of(result)
    assert presented(run, ID)


def test_a_huge_text_that_is_not_utf8_is_cut_where_it_can_be_decoded(beta: RawClient, run: Cli) -> None:
    put(run, b"\xff\xfe" * 60_000)
    result = beta.call("read", id=ID)
    assert not result["isError"], text_of(result)
    assert result["structuredContent"]["encoding"] == "base64"


def test_an_answer_has_a_bound_for_all_its_texts_together() -> None:
    message = {"id": "x", "flags": [], "encoding": "utf-8", "body": "y" * (TEXTS // 2)}
    found = Bounded({"messages": [dict(message) for _ in range(4)]})
    bodies = [one["body"] for one in found.value["messages"]]
    assert [len(body) for body in bodies] == [TEXTS // 2, TEXTS // 2, 0, 0]
    assert [one["flags"] for one in found.value["messages"]] == [[], [], [CUT], [CUT]]
    assert found.notes == ["2 texts are not whole, see the flag `cut`; the file at `path` has all of it"]


def test_long_lines_and_long_lists_are_cut() -> None:
    outcome = {"path": "p" * (OTHER + 1), "messages": [{"subject": "s"}] * (ENTRIES + 3)}
    found = Bounded(outcome)
    assert found.value["path"] == "p" * OTHER + "…"
    assert len(found.value["messages"]) == ENTRIES == len(within_bounds(outcome)["messages"])
    assert found.notes == ["3 more entries are not listed"]


def test_a_resource_shows_a_text_as_a_tool_does(beta: RawClient, run: Cli) -> None:
    put(run, f"odd {NASTY}\n".encode(), NASTY)
    for uri in ("mail://beta/inbox", f"mail://beta/{ID}"):
        (content,) = beta.request("resources/read", uri=uri)["contents"]
        assert not set(NASTY) - set("abcde[2J") & set(content["text"])
    assert "A subject" not in json.dumps(beta.request("resources/list"))
