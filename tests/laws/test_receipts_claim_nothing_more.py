"""No output calls `read`, `done`, `online` or the like what is only presented, acknowledged, seen lately, or in an inbox.

`delivered` is a word for the outcome of sending, and for nothing that a session did.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmail.cli.commands import Command
from agentmail.cli.help import summary
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.parameters import help_of
from tests.conversations.office import Office
from tests.support.cli import ROOT

#: What a receipt must not be taken for: of a reader, of work, of a session.
OVERCLAIMS = re.compile(
    r"\b(reads?|unread|seen by|done|finished|complete[ds]?|completed|agreed|accepted|understood|handled by|processed"
    r"|online|offline|active|idle|alive|running|present|delivered|injected|verified)\b",
    re.IGNORECASE,
)
#: Where such a word is right, as it stands there: the command's own name; what sending came to; a plain denial.
RIGHT = [
    "Read one: agentmail read ",
    "could not be read",
    "could not read ",
    "cannot be read",
    "is delivered, but your own copy could not be kept",
    "already delivered ",
    "It does not mean read, agreed or done.",
]
#: The commands that show what sessions recorded, or that a message waits.
VIEWS = ("check", "wait", "ack", "thread", "threads", "receipts", "sessions", "snapshot", "search")
#: The renderings: every text that stands in them.
TEXTS = (
    *(f"agentmail/cli/commands/{view}.py" for view in VIEWS),
    "agentmail/cli/text.py",
    "agentmail/cli/tables.py",
    "agentmail/hosts/runtime/check.py",
)


def overclaims(text: str) -> list[str]:
    for phrase in RIGHT:
        text = text.replace(phrase, "")
    return OVERCLAIMS.findall(text)


@pytest.fixture
def office(quick_path: Path) -> Office:
    place = quick_path / "office"
    place.mkdir()
    return Office(place)


def outputs(office: Office) -> Iterator[tuple[tuple[str, ...], str]]:
    """What every view prints, plain and as JSON, at every step of a message's way."""
    id = office.send("alpha", "beta,gamma", "news", "About", "it", "--thread", "t", body="a text\n")
    steps: list[tuple[str, ...]] = [
        ("check", "beta", "--session", "s1"),
        ("ack", "beta", id, "--session", "s1"),
        ("reply", "beta", id),
        ("archive", "beta", id),
        ("unarchive", "beta", id),
    ]
    for step in [("wait", "beta", "--session", "s1"), *steps, ("ack", "beta", id, "--session", "s1")]:
        ended = office(*step)
        yield step, ended.out + ended.err
        for words in (
            *(("check", one) for one in ("alpha", "beta", "gamma")),
            *(("thread", one, "t") for one in ("alpha", "beta", "gamma")),
            *(
                (view, one)
                for view in ("threads", "receipts", "sessions", "snapshot")
                for one in ("alpha", "beta")
            ),
            ("receipts", "alpha", id),
            ("search", "beta", "text"),
            ("search", "beta", "nowhere"),
            ("wait", "beta", "--session", "s2", "--timeout", "0"),
            ("wait", "beta", "--session", "s2", "--timeout", "0", "--body"),
            ("ack", "beta", "20260101-0000-x-y", "--session", "s1"),
        ):
            ended = office(*words)
            yield words, ended.out + ended.err
            yield (*words, "--json"), values(office(words[0], "--json", *words[1:]).out)


def values(line: str) -> str:
    """JSON without the one key that is a sum of facts and documented as that: whether there is evidence."""
    return re.sub(r'"verified": (true|false)', "", line)


def test_no_view_says_more_than_the_records_prove(office: Office) -> None:
    count = 0
    for words, shown in outputs(office):
        assert overclaims(shown) == [], (words, shown)
        count += 1
    assert count > 200


def texts_of(path: Path) -> Iterator[str]:
    """Every text of a module that is printed: the constants, but not the docstrings and the keys."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            skipped.add(id(node.slice))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            skipped.update(map(id, node.args))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


#: The outcome of `send` decides whether its id is printed; it is compared, not shown.
COMPARED = {"not-delivered", "already-delivered"}


@pytest.mark.parametrize("name", TEXTS)
def test_no_rendering_holds_such_a_word(name: str) -> None:
    for text in texts_of(ROOT / name):
        assert text in COMPARED or overclaims(text) == [], text


@pytest.mark.parametrize("name", VIEWS)
def test_no_help_of_a_view_promises_more(name: str) -> None:
    command = Command(name)
    for text in (summary(command), *(help_of(name, option) for option in command.grammar.options)):
        assert overclaims(text) == [], text


def test_every_command_that_shows_records_is_looked_at() -> None:
    others = {
        "register",
        "send",
        "read",
        "reply",
        "archive",
        "unarchive",
        "prune",
        "roster",
        "delegate",
        "git",
    }
    assert set(VIEWS) <= set(VERBS)
    assert others <= set(VERBS)
