"""Evidence refs: pointers of a few fixed shapes, checked when they are sent, shown where they are, never opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conversations.office import Office

GOOD = [
    '{"type": "trace", "id": "t-0123"}',
    '{"type": "run", "id": "2026-07-04/12"}',
    '{"type": "capability", "id": "urn:x:y"}',
    '{"type": "bundle", "id": "b"}',
    '{"id": "0a1b2c", "type": "commit"}',
    '{"type": "candidate", "path": "notes/grammar.md"}',
    '  {"type": "wiki", "path": "a/./b c/..d.md"}  ',
]
REFUSED = {
    "an absolute path": '{"type": "wiki", "path": "/etc/passwd"}',
    "an absolute path of another system": '{"type": "wiki", "path": "C:\\\\x"}',
    "a share": '{"type": "wiki", "path": "\\\\\\\\server\\\\x"}',
    "a home": '{"type": "candidate", "path": "~/x"}',
    "another's home": '{"type": "candidate", "path": "~me/x"}',
    "a path upwards": '{"type": "wiki", "path": "../x"}',
    "a path that goes up later": '{"type": "candidate", "path": "a/../../x"}',
    "a path upwards with other slashes": '{"type": "candidate", "path": "a\\\\..\\\\x"}',
    "a path with a scheme": '{"type": "wiki", "path": "file:///x"}',
    "an empty path": '{"type": "wiki", "path": ""}',
    "a path with a line break": '{"type": "wiki", "path": "a\\nb"}',
    "a path with a bell": '{"type": "wiki", "path": "a\\u0007b"}',
    "a path that reads backwards": '{"type": "wiki", "path": "a\\u202eb"}',
    "a path beyond reason": '{"type": "wiki", "path": "%s"}' % ("x" * 201),
    "an id that is a path": '{"type": "trace", "id": "/var/log/x"}',
    "an id upwards": '{"type": "trace", "id": "../x"}',
    "an id that is a text": '{"type": "trace", "id": "what was found in it"}',
    "an empty id": '{"type": "trace", "id": ""}',
    "an unknown type": '{"type": "file", "path": "x"}',
    "no type": '{"id": "x"}',
    "a type that is no text": '{"type": ["trace"], "id": "x"}',
    "an unknown field": '{"type": "trace", "id": "x", "note": "y"}',
    "a body": '{"type": "trace", "id": "x", "body": "all that it says"}',
    "a path where an id belongs": '{"type": "trace", "path": "x"}',
    "an id where a path belongs": '{"type": "wiki", "id": "x"}',
    "both": '{"type": "wiki", "path": "x", "id": "y"}',
    "a number": '{"type": "run", "id": 7}',
    "an object inside": '{"type": "run", "id": {"x": "y"}}',
    "a field twice": '{"type": "run", "id": "x", "id": "y"}',
    "a type twice": '{"type": "wiki", "path": "x", "type": "candidate"}',
    "a list": '[{"type": "run", "id": "x"}]',
    "a text": '"run"',
    "nothing": "",
    "no JSON": "{type: run, id: x}",
    "more after it": '{"type": "run", "id": "x"} {}',
}


def test_every_ref_is_kept_in_order_and_shown_wherever_the_message_is(office: Office) -> None:
    options = [word for ref in GOOD for word in ("--evidence", ref)]
    id = office.send("alpha", "beta", "news", *options)
    expected = [json.loads(ref) for ref in GOOD]
    quoted = office.header("beta", id)["evidence"]
    assert json.loads(json.loads(quoted)) == expected, "one line of JSON, in the quotes of the header"
    for words in (("thread", "beta", id), ("snapshot", "beta"), ("snapshot", "alpha")):
        (message,) = office.json(*words)["messages"]
        assert message["evidence"] == expected
    (shown,) = [
        line for line in office("thread", "beta", id).out.split("\n") if line.startswith("evidence: ")
    ]
    assert shown == "evidence: " + ", ".join(
        f"{ref['type']} {ref.get('id') or ref['path']}" for ref in expected
    )
    assert "notes/grammar.md" in office("read", "beta", id).out


@pytest.mark.parametrize("what", REFUSED)
def test_an_invalid_reference_is_refused_and_nothing_is_sent(office: Office, what: str) -> None:
    for command in (("send", "alpha", "beta", "news"), ("delegate", "alpha", "beta", "--task", "x")):
        ended = office(*command, "--evidence", GOOD[0], "--evidence", REFUSED[what])
        assert (ended.code, ended.out) == (2, ""), ended
        assert ended.err.count("\n") == 1
        assert "nothing was changed" in ended.err
    assert not office.box("beta").received


def test_an_answer_carries_refs_too(office: Office) -> None:
    first = office.send("alpha", "beta", "news")
    assert office("reply", "beta", first, "--evidence", REFUSED["a body"]).code == 2
    assert not office.box("alpha").received
    assert office("reply", "beta", first, "--evidence", GOOD[0], "--kind", "result").code == 0
    (answer,) = [one for one in office.json("thread", "alpha", first)["messages"] if one["place"] == "inbox"]
    assert (answer["evidence"], answer["kind"]) == ([json.loads(GOOD[0])], "result")


def test_nothing_that_a_ref_points_to_is_opened(office: Office, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("the text of another file")
    id = office.send("alpha", "beta", "news", "--evidence", '{"type": "wiki", "path": "secret.md"}')
    for words in (
        ("thread", "beta", id),
        ("read", "beta", id),
        ("snapshot", "beta"),
        ("search", "beta", "text"),
    ):
        assert "another file" not in office(*words).out


def test_references_written_by_hand_are_shown_only_if_they_are_valid(
    office: Office,
) -> None:
    refs = f"[{GOOD[0]}, {REFUSED['an absolute path']}, 7, null]"
    text = f"---\nfrom: alpha\nto: beta\nevidence: {json.dumps(refs)}\n---\ntext\n"
    (office.bus / "beta" / "inbox" / "20260101-0000-alpha-x.md").write_text(text)
    (message,) = office.json("thread", "beta", "20260101-0000-alpha-x")["messages"]
    assert message["evidence"] == [json.loads(GOOD[0])]


def test_more_refs_than_a_header_holds_are_refused(office: Office) -> None:
    options = [
        word
        for number in range(40)
        for word in ("--evidence", '{"type": "run", "id": "%s"}' % (str(number) * 90))
    ]
    ended = office("send", "alpha", "beta", "news", *options)
    assert (ended.code, ended.out) == (2, "")
    assert "the header is" in ended.err
