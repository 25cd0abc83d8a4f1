"""The plain form of a call and the same call through typer: the same answer, talk, exit code and files.

`--` before the words changes nothing in what they mean, and sends a call to typer.
"""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest

from agentmail.cli.grammar import USAGE
from agentmail.cli.main import is_plain_call
from tests.support.cli import Cli
from tests.support.in_process import run_in_process
from tests.support.worlds import MINUTE, World, make_world

WAITING, ARCHIVED, NOWHERE = (f"{MINUTE}-alpha-{slug}" for slug in ("waiting", "archived", "nowhere"))

#: For each command: calls that succeed, calls that fail, calls whose words do not fit.
CALLS = {
    "register": ["gamma - counts things", "beta - what beta does", "All - x", "gamma", "gamma -", ""],
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
    assert set(CALLS) == set(USAGE)


@pytest.mark.parametrize("words", [f"{name} {words}".strip() for name in CALLS for words in CALLS[name]])
def test_the_plain_form_and_typer_do_the_same(template: World, tmp_path: Path, words: str) -> None:
    command, *rest = words.split(" ")
    bus, home = tmp_path / "bus", tmp_path / "home"
    ends = []
    for argv in ((command, *rest), (command, "--", *rest)):
        home.mkdir()
        shutil.copytree(template.path, bus)
        ended = run_in_process(argv, bus, b"the body\n")
        ends.append((ended.code, constant(ended.out), constant(ended.err), files(bus)))
        shutil.rmtree(bus)
        shutil.rmtree(home)
    assert is_plain_call([command, *rest])
    assert not is_plain_call([command, "--", *rest])
    assert ends[0] == ends[1]


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
