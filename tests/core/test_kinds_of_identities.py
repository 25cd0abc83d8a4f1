"""Names of people and programs: registered with their kind, which messages of them carry and readers compare."""

from __future__ import annotations

import pytest

from agentmail.core.registry import FOR_PEOPLE_AND_PROGRAMS, Registry, Row
from agentmail.core.registry_edit import edited
from tests.support.cli import Cli

MISMATCH = "sender-kind-mismatch"


@pytest.fixture
def run(run: Cli) -> Cli:
    """alpha, an agent, and user, a human."""
    assert run("register", "alpha", "-", "works").code == 0
    assert run("register", "user", "-", "decides", "--kind", "human").code == 0
    return run


@pytest.mark.parametrize("identity", sorted(FOR_PEOPLE_AND_PROGRAMS - {"user"}))
def test_a_reserved_name_asks_for_its_kind(run: Cli, identity: str) -> None:
    ran = run("register", identity, "-", "does", "this")
    assert (ran.code, ran.out) == (2, "")
    assert f"agentmail register {identity} <workdir> <responsibility> --kind human" in ran.err
    assert run("register", identity, "-", "does", "this", "--kind", "robot").code == 2
    assert run("rename", "alpha", identity).code == 2
    assert run("register", identity, "-", "does", "this", "--kind", "program").code == 0
    assert f"{identity}  -  does this  [program]" in run("roster").lines


def test_the_kind_stays_where_it_is_not_given_again(run: Cli) -> None:
    assert run("register", "user", "-", "decides").out.startswith("unchanged")
    assert run("register", "user", "-", "decides", "more", "--json").json["kind"] == "human"


def test_the_kind_agent_takes_another_back_except_from_a_reserved_name(run: Cli) -> None:
    assert run("register", "alpha", "-", "works", "--kind", "human").code == 0
    assert "alpha  -  works  [human]" in run("roster").lines
    assert run("register", "alpha", "-", "works", "--kind", "agent", "--json").json["kind"] == ""
    assert "alpha  -  works" in run("roster").lines
    ran = run("register", "user", "-", "decides", "--kind", "agent")
    assert (ran.code, "--kind human" in ran.err) == (2, True)
    assert "user  -  decides  [human]" in run("roster").lines


def test_messages_carry_the_kind_of_the_registry(run: Cli) -> None:
    id = run("send", "user", "alpha", "please", stdin="text").out.strip()
    assert run("read", "alpha", id, "--json").json["header"]["sender_kind"] == "human"
    assert run("check", "alpha", "--json").json["messages"][0]["flags"] == []
    plain = run("send", "alpha", "user", "done", stdin="text").out.strip()
    assert "sender_kind" not in run("read", "user", plain, "--json").json["header"]


@pytest.mark.parametrize(
    ("sender", "claim"), [("alpha", "human"), ("alpha", "program"), ("user", "agent"), ("stranger", "human")]
)
def test_a_claim_of_another_kind_is_warned_of_and_marked_in_every_view(
    run: Cli, sender: str, claim: str
) -> None:
    ran = run("send", sender, "alpha,user", "please", "--sender-kind", claim, stdin="text")
    assert ran.code == 0
    assert f"this claims that {sender} is {claim}" in ran.err
    id = ran.out.strip()
    assert MISMATCH in run("check", "alpha", "--json").json["messages"][0]["flags"]
    assert MISMATCH in run("read", "alpha", id, "--json").json["flags"]
    assert MISMATCH in run("read", "alpha", id).err + run("read", "alpha", id).out
    assert MISMATCH in run("thread", "alpha", id, "--json").json["messages"][0]["flags"]


@pytest.mark.parametrize(
    ("sender", "claim"), [("alpha", "agent"), ("user", "human"), ("user", "unknown"), ("stranger", "agent")]
)
def test_a_claim_that_the_registry_does_not_contradict_is_not_marked(
    run: Cli, sender: str, claim: str
) -> None:
    ran = run("send", sender, "alpha", "please", "--sender-kind", claim, stdin="text")
    assert "this claims" not in ran.err
    assert MISMATCH not in run("check", "alpha", "--json").json["messages"][0]["flags"]


def test_doctor_names_a_reserved_name_without_a_kind(run: Cli) -> None:
    registry = run.bus / "registry.md"
    registry.write_text(registry.read_text() + "| system | - | x |\n")
    assert "note: system: has a name that is reserved for people and programs" in run("doctor").out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "| id | workdir | responsibility |\r\n|---|---|---|\r\n| a | - | x |\r\n",
            "| id | workdir | responsibility | kind |\r\n|---|---|---|---|\r\n| a | - | x |\r\n| user | - | r | human |\r\n",
        ),
        (
            "id | workdir | responsibility\n---|---|---\nuser | - | r\n",
            "id | workdir | responsibility | kind |\n---|---|--- |---|\nuser | - | r | human |\n",
        ),
        (
            "| kind | id | workdir | responsibility |\n|---|---|---|---|\n| Human | user | - | r |\n",
            "| kind | id | workdir | responsibility |\n|---|---|---|---|\n| Human | user | - | r |\n",
        ),
        (
            "| kind | id | workdir | responsibility |\n|---|---|---|---|\n| fast | user | - | r |\n",
            "| human | id | workdir | responsibility |\n|---|---|---|---|\n| human | user | - | r |\n".replace(
                "| human | id", "| kind | id"
            ),
        ),
    ],
)
def test_the_column_is_added_where_it_is_needed_and_all_else_keeps_its_bytes(before: str, after: str) -> None:
    new = edited(before.encode(), Row("user", "-", "r", "human"))
    assert new.decode() == after
    assert Registry(after).rows["user"].kind == "human"
    assert edited(new, Row("user", "-", "r", "human")) is new


def test_a_column_that_a_table_calls_kind_and_means_otherwise_keeps_its_cells() -> None:
    text = (
        b"| id | workdir | responsibility | kind |\n|---|---|---|---|\n| a | - | x | fast |\n| b | - | y |\n"
    )
    for identity, responsibility in (("a", "x"), ("b", "y")):
        assert edited(text, Row(identity, "-", responsibility)) is text
    assert (
        Registry(b"| id | workdir | kind |\n|---|---|---|\n| a | - | tests |\n".decode())
        .rows["a"]
        .responsibility
        == "tests"
    )
