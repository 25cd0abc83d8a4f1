"""A verb can be called for days in one process: no open descriptor, thread, note or changed state is left of a call."""

from __future__ import annotations

import gc
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.catalogue import VERBS, load_verb
from tests.support.worlds import MINUTE, World, make_world

TIMES = 200
THREADS = 4
WAITING, ARCHIVED = f"{MINUTE}-alpha-waiting", f"{MINUTE}-alpha-archived"

#: For each verb the arguments of a call that succeeds, again and again.
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "register": (("gamma", "-", "counts things"), {}),
    "unregister": (("alpha",), {}),
    "rename": (("alpha", "epsilon"), {}),
    "send": (("beta", "alpha", "again", "A subject"), {"body": "text\n", "once": True}),
    "check": (("beta",), {}),
    "read": (("beta", WAITING), {}),
    "reply": (("beta", WAITING), {"body": b"text\n", "once": True}),
    "archive": (("beta", [ARCHIVED]), {}),
    "unarchive": (("beta", WAITING), {}),
    "prune": (("beta", "5000"), {}),
    "whoami": ((), {}),
    "roster": ((), {}),
    "delegate": (("beta", "alpha"), {"task": "look at it", "once": True}),
    "wait": (("beta",), {"timeout": 0.0, "body": True}),
    "ack": (("beta", [WAITING]), {}),
    "thread": (("beta", WAITING), {}),
    "threads": (("beta",), {}),
    "receipts": (("beta",), {}),
    "sessions": (("beta",), {}),
    "snapshot": (("beta",), {}),
    "search": (("beta", "text"), {}),
    "git": ((), {}),
    "wire": ((["claude-code"],), {"dry_run": True}),
    "unwire": ((), {}),
    "doctor": ((), {}),
    "demo": ((), {}),
}
#: Verbs that start processes; they are called as often, in the slow suite.
STARTS_PROCESSES = {"demo"}


def cases() -> list[Any]:
    return [
        pytest.param(
            name, marks=[pytest.mark.slow, pytest.mark.timeout(600)] if name in STARTS_PROCESSES else []
        )
        for name in VERBS
    ]


@pytest.fixture
def world(quick_path: Path) -> Iterator[World]:
    before = os.umask(0o077)
    yield make_world(quick_path / "bus")
    os.umask(before)


@pytest.fixture
def calling(world: World, quick_path: Path) -> Callable[[], Call]:
    """Makes the call of one request: a bus object of its own, session s1 on machine m1."""
    home = quick_path / "home"
    home.mkdir()
    environment = Environment({"HOME": str(home), "PATH": os.defpath, "AGENT_MAIL_SELF": "beta"}, str(home))
    return lambda: Call(Bus(str(world.path)), environment, session="s1", acts_as="beta", machine="m1")


def state() -> dict[str, object]:
    """What a call could leave in this process."""
    mask = os.umask(0o077)
    os.umask(mask)
    return {
        "descriptors": sorted(
            os.listdir("/dev/fd" if not os.path.isdir("/proc/self/fd") else "/proc/self/fd")
        ),
        "threads": threading.active_count(),
        "directory": os.getcwd(),
        "environment": dict(os.environ),
        "umask": mask,
    }


def test_every_verb_is_called_here() -> None:
    assert list(ARGUMENTS) == list(VERBS)


@pytest.mark.parametrize("name", cases())
def test_two_hundred_calls_leave_nothing_behind(calling: Callable[[], Call], name: str) -> None:
    verb, (words, options) = load_verb(name), ARGUMENTS[name]
    outcomes = [verb(calling(), *words, **options)]
    gc.collect()
    before = state()
    for _ in range(TIMES):
        call = calling()
        outcomes.append(verb(call, *words, **options))
        assert call.bus.disk.notes == []
    assert state() == before, "and nobody has looked into the outcomes yet"
    for outcome in outcomes:
        assert json.loads(json.dumps(outcome)) == outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", cases())
def test_calls_in_threads_do_not_disturb_each_other(calling: Callable[[], Call], name: str) -> None:
    verb, (words, options) = load_verb(name), ARGUMENTS[name]
    expected = set(verb(calling(), *words, **options))
    gc.collect()
    before = state()

    def calls() -> list[Call]:
        made = [calling() for _ in range(TIMES // THREADS)]
        for call in made:
            assert set(verb(call, *words, **options)) == expected
        return made

    with ThreadPoolExecutor(THREADS) as pool:
        done = [call for future in [pool.submit(calls) for _ in range(THREADS)] for call in future.result()]
    assert len(done) == TIMES
    assert [call.bus.disk.notes for call in done if call.bus.disk.notes] == []
    gc.collect()
    assert state() == before
