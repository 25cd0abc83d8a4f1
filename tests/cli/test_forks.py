"""The forks in which the everyday suite runs the command line: what such a call does is what a new interpreter does."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli import PLAIN, Cli
from tests.support.forks import AT_ONCE, Forks


class Forked(Cli):
    """Each call is a fork, in every suite."""

    runs_plainly = True


class Started(Cli):
    """Each call is an interpreter of its own, in every suite."""

    runs_plainly = False


@pytest.fixture
def forked(run: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    forks = Forks(PLAIN)
    monkeypatch.setattr(Forked, "forks", forks)
    yield Forked(run.bus, run.home)
    forks.end()


def test_a_fork_ends_and_prints_as_an_interpreter_does(forked: Cli) -> None:
    started = Started(forked.bus, forked.home)
    (forked.home / "deep").mkdir()
    assert forked("register", "alpha", ".", "takes", "part", cwd=forked.home / "deep").code == 0
    assert forked("send", "alpha", "alpha", "hello", stdin="the text\n").code == 0
    for words, place in [
        (("check",), forked.home / "deep"),
        (("check", "nobody"), forked.home),
        (("whoami", "--json"), Path("/")),
        (("send", "alpha", "alpha"), forked.home),
        (("chek",), forked.home),
        (("send", "--help"), forked.home),
        (("roster", "--json"), forked.home),
    ]:
        assert forked(*words, cwd=place) == started(*words, cwd=place)


def test_a_fork_has_the_variables_of_its_call_alone(forked: Cli) -> None:
    assert forked("register", "alpha", "/srv", "takes", "part").code == 0
    assert "AGENT_MAIL_SELF" in forked("whoami", env={"AGENT_MAIL_SELF": "alpha"}).out
    assert forked("whoami").code == 3


def test_a_fork_is_killed_at_its_deadline(forked: Cli) -> None:
    assert forked("register", "alpha", "/srv", "takes", "part").code == 0
    with pytest.raises(subprocess.TimeoutExpired):
        forked("wait", "alpha", timeout=0.2)


def test_what_python_reads_and_a_long_text_are_left_to_an_interpreter(run: Cli) -> None:
    forks = Forks(PLAIN)
    assert forks.takes(b"text", run.environment(AGENT_MAIL_SELF="alpha"))
    assert not forks.takes(b"text", run.environment(LC_ALL="C"))
    assert not forks.takes(b"text", run.environment(PYTHONPATH=None))
    assert not forks.takes(b"text", run.environment(COLUMNS="20"))
    assert not forks.takes(b"x" * (AT_ONCE + 1), run.environment())
