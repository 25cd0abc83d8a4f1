"""`snapshot`: one document of the shape that docs/snapshot.schema.json defines."""

from __future__ import annotations

import gzip
import json
import typing

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from agentmail.verbs.shapes import shapes
from tests.conversations.office import Office
from tests.support.cli import ROOT

SCHEMA = json.loads((ROOT / "docs" / "snapshot.schema.json").read_text(encoding="utf-8"))
Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = Draft202012Validator(SCHEMA)


def snapshot(office: Office, *words: str) -> dict[str, typing.Any]:
    """A snapshot that is of the documented shape."""
    found = office.json("snapshot", *words)
    VALIDATOR.validate(found)
    return found


@pytest.fixture
def busy(office: Office) -> Office:
    """A bus on which everything that a snapshot can show has happened."""
    ref = '{"type": "commit", "id": "0a1b"}'
    first = office.send("alpha", "beta,gamma", "one", "A", "subject", "--evidence", ref, "--session", "a1")
    second = office("reply", "beta", first, "--kind", "result", "--session", "b1").out.strip()
    office.send("alpha", "beta", "two", "--priority", "high", "--sender-kind", "human", "--thread", "t")
    office("check", "beta", "--session", "b1")
    office("ack", "alpha", second, "--session", "a1")
    office("archive", "beta", first)
    return office


def test_every_snapshot_has_the_documented_shape(busy: Office) -> None:
    for identity in ("alpha", "beta", "gamma"):
        for options in ((), ("--session", "b1"), ("--counts",), ("--counts", "--session", "new")):
            snapshot(busy, identity, *options)


def test_the_documented_shape_is_the_one_that_the_program_declares() -> None:
    declared = shapes()
    names = {
        "counts": "Counts",
        "thread": "ThreadSummary",
        "message": "ListedMessage",
        "receipt": "ReceiptOfSession",
        "missed": "Missed",
        "session": "Session",
    }
    for name, shape in ((name, declared[shape]) for name, shape in names.items()):
        documented = SCHEMA["$defs"][name]
        assert set(documented["properties"]) == set(typing.get_type_hints(shape)), name
        assert set(documented["required"]) == set(documented["properties"]), name
    assert set(SCHEMA["properties"]) == {"schema", "ok", *typing.get_type_hints(declared["Snapshot"])}


def test_the_schema_rejects_other_shapes(busy: Office) -> None:
    found = snapshot(busy, "beta")
    for change in (
        {"schema": "agentmail.snapshot.v2"},
        {"more": 1},
        {"counts": {**found["counts"], "waiting": -1}},
        {"messages": [{**found["messages"][0], "kind": "task"}]},
        {"messages": [{**found["messages"][0], "body": "text"}]},
    ):
        assert not VALIDATOR.is_valid({**found, **change})
    assert not VALIDATOR.is_valid({key: value for key, value in found.items() if key != "sessions"})


def test_a_snapshot_counts_and_lists_the_messages(busy: Office) -> None:
    found = snapshot(busy, "beta", "--session", "new")
    assert found["counts"] == {"waiting": 1, "archived": 1, "sent": 1, "pending": 1}
    assert [one["place"] for one in found["messages"]] == ["archive", "sent", "inbox"]
    assert [one["thread"] for one in found["threads"]] == [found["messages"][0]["id"], "t"]
    assert [one["session"] for one in found["sessions"]] == ["b1"]
    assert found["messages"][0]["receipts"][0]["session"] == "b1"
    assert found["messages"][1]["receipts"][0]["session"] == "a1"
    assert found["unreadable"] == []
    assert snapshot(busy, "beta", "--session", "b1")["counts"]["pending"] == 0
    assert snapshot(busy, "beta")["counts"]["pending"] is None


def test_counts_alone_open_no_message(busy: Office) -> None:
    (path,) = (busy.bus / "beta" / "archive").iterdir()
    path.write_bytes(b"damaged")
    found = snapshot(busy, "beta", "--counts")
    assert set(found) == {"schema", "ok", "identity", "at", "counts"}
    assert found["counts"]["archived"] == 1


def test_a_snapshot_is_one_line_of_json_with_and_without_the_option(busy: Office) -> None:
    plain = busy("snapshot", "beta")
    assert plain.out.count("\n") == 1
    assert json.loads(plain.out)["schema"] == "agentmail.snapshot.v1"
    assert json.loads(busy("snapshot", "nobody").out)["outcome"] == "unknown-identity"


def test_a_snapshot_contains_no_message_text(busy: Office) -> None:
    busy.send("alpha", "beta", "three", body="the-text-itself\n")
    assert "the-text-itself" not in busy("snapshot", "beta").out


def test_a_snapshot_with_foreign_old_or_damaged_messages_has_the_documented_shape(busy: Office) -> None:
    inbox, archive = busy.bus / "beta" / "inbox", busy.bus / "beta" / "archive"
    (inbox / "Odd Name.md").write_bytes(b'---\nfrom: [a, b]\nto: "\\u001b[2J"\nkind: x\nevidence: 7\n---\n')
    (inbox / "20269999-9999-a.md").write_bytes(b"\xff\xfe")
    (inbox / "notes.txt").write_bytes(b"not a message")
    (archive / "20260101-0000-a-x.md").write_bytes(gzip.compress(b"x"))
    (archive / "20260101-0001-a-x.md.gz").write_bytes(b"cut")
    found = snapshot(busy, "beta")
    assert found["counts"]["waiting"] == 4, "as many as check lists"
    assert [line for line in found["unreadable"] if "20260101-0001" in line]
    assert busy.json("check", "beta")["count"] == 4
