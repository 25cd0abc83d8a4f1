"""A receipt is of the recipient: a session that does not act as the identity looks, and nothing is recorded for it.

What was shown to nobody is recorded by nobody: a list only where that was asked, and nothing that went nowhere.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conversations.office import Office
from tests.support.cli import Cli
from tests.support.hooks import Bed

LOOKS = (
    ("check", "beta"),
    ("read", "beta", "ID"),
    ("thread", "beta", "ID"),
    ("wait", "beta", "--timeout", "0"),
)
LISTS = LOOKS[0], LOOKS[2]


def words(look: tuple[str, ...], id: str) -> tuple[str, ...]:
    return tuple(id if word == "ID" else word for word in look)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look[0])
def test_a_session_of_another_identity_is_shown_messages_and_leaves_no_receipt(
    office: Office, look: tuple[str, ...]
) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office(*words(look, id), "--session", "a1", at="alpha")
    assert (ended.code, id in ended.out) == (0, True)
    assert "note: nothing is recorded: session a1 is not known to act as beta" in ended.err
    assert office.records("beta") == {}
    assert office.json("receipts", "alpha", id)["messages"][0]["receipts"] == []


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look[0])
def test_the_next_step_in_the_note_records_a_receipt(office: Office, look: tuple[str, ...]) -> None:
    id = office.send("alpha", "beta", "one")
    note = office(*words(look, id), "--session", "a1", at="alpha").err
    assert office(*words(look, id), *note.split("`")[1].split(), "--session", "a1", at="alpha").err == ""
    assert office.facts("beta", "a1", "presented") == [id]


@pytest.mark.parametrize(
    ("at", "variables", "records"),
    [
        ("beta", {}, True),
        ("alpha", {"AGENT_MAIL_SELF": "beta"}, True),
        ("beta", {"AGENT_MAIL_SELF": "alpha"}, False),
        ("beta", {"AGENT_MAIL_SELF": "Not An Identity"}, False),
        ("nobody", {}, False),
    ],
)
def test_each_documented_way_makes_a_session_act_as_an_identity(
    office: Office, at: str, variables: dict[str, str], records: bool
) -> None:
    id = office.send("alpha", "beta", "one")
    ended = office("read", "beta", id, at=at, variables={**variables, "AGENT_MAIL_SESSION": "s1"})
    assert ended.code == 0
    assert office.facts("beta", "s1", "presented") == ([id] if records else [])
    assert ("not known to act" in ended.err) is not records


def test_as_names_the_identity_and_a_different_word_is_refused(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    for argv in (("check", "--as", "beta"), ("read", "--as", "beta", id), ("thread", "--as=beta", id)):
        ended = office(*argv, at="alpha")
        assert (ended.code, id in ended.out) == (0, True), ended
    assert office("check", "gamma", "--as", "beta").code == 2
    assert office("check", "--as", "Bad Name").code == 2


def test_a_session_that_a_hook_started_for_an_identity_keeps_it_in_every_directory(
    tmp_path: Path,
) -> None:
    """A model that changes into the directory of another looks at its mail, and takes nothing from it."""
    bed = Bed(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bed.register("beta", elsewhere)
    bed.put("20260704-0930-beta-one")
    bed.put("20260704-0930-alpha-two", "beta")
    bed.start()
    run = Cli(bed.bus, bed.home, CLAUDE_CODE_SESSION_ID=bed.session)
    ended = run("read", "beta", "20260704-0930-alpha-two", cwd=elsewhere)
    assert "is not known to act as beta" in ended.err
    assert bed.receipts(identity="beta") == []
    assert run("read", "alpha", "20260704-0930-beta-one", cwd=elsewhere).err == ""


@pytest.mark.parametrize("look", LISTS, ids=lambda look: look[0])
def test_a_list_records_only_if_the_call_names_the_session(office: Office, look: tuple[str, ...]) -> None:
    id = office.send("alpha", "beta", "one")
    for variable in ("AGENT_MAIL_SESSION", "CLAUDE_CODE_SESSION_ID"):
        ended = office(*words(look, id), variables={variable: "s1"})
        assert (ended.code, ended.err) == (0, "")
        assert office.records("beta") == {}
    assert office(*words(look, id), "--session", "s1").code == 0
    assert office.facts("beta", "s1", "presented") == [id]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look[0])
def test_output_to_the_null_device_is_not_recorded(desk: Cli, look: tuple[str, ...]) -> None:
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    process = desk.start(*words(look, id), "--session", "s1", stdout=subprocess.DEVNULL)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert b"nothing is recorded: standard output is the null device" in said
    records = "".join(path.read_text() for path in desk.bus.glob("beta/sessions/*/s1.jsonl"))
    assert "presented" not in records
    assert id in desk("wait", "beta", "--session", "s1", "--timeout", "0").out, "it is announced again"
