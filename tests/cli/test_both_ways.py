"""A call through the small parser and the same call through typer: the same answer, diagnostics, exit code and files."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmail.cli import main, typer_view
from agentmail.cli.commands import Command
from agentmail.cli.parse import FLAG, LIST, flag_of
from agentmail.verbs.catalogue import VERBS
from tests.support.cli import Cli
from tests.support.in_process import run_in_process
from tests.support.worlds import MINUTE, World, make_world

WAITING, ARCHIVED, NOWHERE = (f"{MINUTE}-alpha-{slug}" for slug in ("waiting", "archived", "nowhere"))

#: For each command: calls that succeed, calls that fail, calls whose words do not fit.
CALLS = {
    "register": ["gamma - counts things", "beta - what beta does", "All - x", "gamma", "gamma -", ""],
    "unregister": ["alpha", "nobody", "Bad_Name", "", "alpha beta"],
    "rename": ["alpha epsilon", "alpha beta", "nobody epsilon", "alpha", "", "a b c"],
    "send": [
        *("alpha beta hello A subject: with a colon", "alpha @beta hello", "alpha alpha,beta hello"),
        *("stranger beta hello", "alpha betta hello", "alpha beta Bad_Slug", "alpha beta", ""),
    ],
    "check": ["beta", "alpha", "nobody", "Bad_Name", "", "alpha beta"],
    "read": [f"beta {WAITING}", f"beta {ARCHIVED}.md.gz", f"beta {NOWHERE}", WAITING, "beta", ""],
    "reply": [f"beta {WAITING}", f"beta {WAITING} Another subject", f"beta {NOWHERE}", ""],
    "archive": [f"beta {WAITING}", f"beta {ARCHIVED}", f"beta {WAITING} {NOWHERE}", f"beta {NOWHERE}", ""],
    "unarchive": [f"beta {ARCHIVED}", f"beta {WAITING}", f"beta {NOWHERE}", "beta", "a b c"],
    "prune": ["beta", "beta 5000", "beta -", "beta 0", "nobody", "", "beta 1 2"],
    "whoami": ["", "beta"],
    "roster": ["", "beta"],
    "delegate": ["alpha beta The subject", "alpha beta", "alpha"],
    "wait": ["beta", "nobody", "a b"],
    "ack": [f"beta {WAITING}", ""],
    "thread": [f"beta {WAITING}", f"beta {NOWHERE}", "beta no-such-thread", ""],
    "threads": ["beta", "nobody", "a b"],
    "receipts": ["beta", f"beta {WAITING}", f"beta {NOWHERE}", "a b c"],
    "sessions": ["beta", "nobody", "a b"],
    "snapshot": ["beta", "nobody", "a b"],
    "search": ["beta conclusion", "beta not-in-any-message", "beta", ""],
    "git": ["", "beta"],
    "wire": ["", "beta"],
    "unwire": ["", "beta"],
    "doctor": ["", "beta"],
    "demo": ["beta"],  # its one good call is a story of many calls, told elsewhere
}

VARYING = [
    (re.compile(rf"(?!{MINUTE})\b20\d{{6}}-\d{{4}}\b"), "<minute>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b"), "<time>"),
    (re.compile(r'("(last_|at_)?seconds": )\d+'), r"\1<seconds>"),
    (re.compile(r'("age": )-?\d+'), r"\1<age>"),
    (re.compile(r"----- [0-9a-f]{12} "), "----- <mark> "),
    (re.compile(r"(?<=machine: )m[0-9a-f]{16}\b"), "<machine>"),
    (re.compile(r"(?<=  )(in )?\d+[smhd]\b"), "<age>"),
]


def constant(text: str) -> str:
    """A text without what differs between two calls of one kind: moments, and the marks nobody can guess."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text


def files(bus: Path) -> dict[str, tuple[str, str]]:
    """Every file of a bus: its mode and its text, expanded, without what differs between two calls."""
    found = {}
    for path in sorted(bus.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        found[constant(str(path.relative_to(bus)))] = (oct(path.stat().st_mode), constant(data.decode()))
    return found


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    place = tmp_path_factory.mktemp("template")
    return make_world(place / "bus")


def test_every_command_is_called_both_ways_here() -> None:
    assert set(CALLS) == set(VERBS)


def both_ways(template: World, tmp_path: Path, argv: tuple[str, ...]) -> list[tuple[object, ...]]:
    """What each way leaves: exit code, both streams and the files."""
    ends: list[tuple[object, ...]] = []
    for dispatch in (main.dispatch, typer_view.run):
        (tmp_path / "home").mkdir()
        shutil.copytree(template.path, tmp_path / "bus")
        ended = run_in_process(
            argv, tmp_path / "bus", b"the body\n", variables={"AGENT_MAIL_MACHINE": "m1"}, dispatch=dispatch
        )
        ends.append((ended.code, constant(ended.out), constant(ended.err), files(tmp_path / "bus")))
        shutil.rmtree(tmp_path / "bus")
        shutil.rmtree(tmp_path / "home")
    return ends


@pytest.mark.parametrize("words", [f"{name} {words}".strip() for name in CALLS for words in CALLS[name]])
def test_the_small_parser_and_typer_do_the_same(template: World, tmp_path: Path, words: str) -> None:
    argv = tuple(words.split(" "))
    assert Command(argv[0]).grammar.parse(list(argv[1:])) is not None
    plain, by_typer = both_ways(template, tmp_path, argv)
    assert plain == by_typer


#: A value for each option that takes one, and for some a second, which is refused.
VALUES = {
    "session": ("s1", "no session"),
    "as_": ("beta", "No Identity"),
    "limit": ("1", "0"),
    "retry": (WAITING, "not an id"),
    "body_file": ("/dev/null", "/nowhere"),
    "re": (WAITING, "not an id"),
    "thread": ("txn", "Not A Thread"),
    "priority": ("high", "urgent"),
    "kind": ("note", "poem"),
    "cc": ("alpha", "nobody"),
    "evidence": ('{"type": "commit", "id": "0a1b"}', "{}"),
    "sender_kind": ("human", "robot"),
    "task": ("look at it", ""),
    "context": ("it is small", ""),
    "acceptance": ("the tests pass", ""),
    "timeout": ("0", "soon"),
    "project": ("/nowhere", ""),
}
WORDS = {
    "wire": "",
    "unwire": "",
    "doctor": "",
    "git": "",
    "roster": "",
    "whoami": "",
    "demo": "beta",
    "search": "beta text",
}


def calls_with_options() -> Iterator[tuple[str, ...]]:
    """Each option of each command: alone, with `=`, before and after the words, twice, and with --json."""
    for name in VERBS:
        words = (WORDS[name] if name in WORDS else CALLS[name][0]).split()
        for option, kind in Command(name).grammar.options.items():
            flag = flag_of(option)
            if kind == FLAG:
                yield (name, *words, flag)
                yield (name, flag, *words)
                continue
            good, bad = VALUES[option]
            yield (name, *words, flag, good)
            yield (name, f"{flag}={good}", *words, "--json")
            yield (name, *words, flag, bad)
            yield (name, flag, good, "--", *words)
            if kind == LIST:
                yield (name, *words, flag, good, flag, good)


@pytest.mark.slow
@pytest.mark.parametrize("argv", list(calls_with_options()), ids=" ".join)
def test_every_option_means_the_same_both_ways(
    template: World, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    assert Command(argv[0]).grammar.parse(list(argv[1:])) is not None
    plain, by_typer = both_ways(template, tmp_path, argv)
    assert plain == by_typer


@pytest.mark.parametrize(
    "argv, said",
    [
        (
            ("check", "--bogus"),
            "check has no option '--bogus'; nothing was changed; usage: agentmail check [<id>]",
        ),
        (
            ("check", "--session"),
            "--session has no value; nothing was changed; usage: agentmail check [<id>] --session S",
        ),
        (("check", "-x"), "check has no option '-x'; nothing was changed; usage: agentmail check [<id>]"),
        (
            ("check", "--json=1"),
            "--json takes no value; nothing was changed; usage: agentmail check [<id>] --json",
        ),
        (("check", "--jso"), "check has no option '--jso'; nothing was changed; did you mean --json?"),
    ],
)
def test_a_call_that_the_parser_does_not_understand_is_refused_with_the_usage(
    template: World, argv: tuple[str, ...], said: str
) -> None:
    assert Command("check").grammar.parse(list(argv[1:])) is None
    ran = run_in_process(argv, template.path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"agentmail: {said}")


@pytest.mark.parametrize(
    "words", [("check", "beta"), ("roster",), ("read", "beta", "nothing-here"), ("send",)]
)
def test_processes_of_both_ways_end_the_same(run: Cli, words: tuple[str, ...]) -> None:
    for identity in ("alpha", "beta"):
        assert run("register", identity, "-", "takes", "part").code == 0
    plain = run(*words)
    assert run(words[0], "--", *words[1:]) == plain
    assert plain.code == {"check": 0, "roster": 0, "read": 1, "send": 2}[words[0]]


def test_without_words_there_is_help_and_an_unknown_command_is_refused(run: Cli) -> None:
    for words in ((), ("-h",), ("check", "-h")):
        ran = run(*words)
        assert (ran.code, ran.err) == (0, "")
        assert "Usage: agentmail" in ran.out
    ran = run("chek")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing was changed" in ran.err
