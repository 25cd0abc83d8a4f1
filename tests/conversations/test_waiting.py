"""`wait`: it ends as soon as something new to the session waits, misses nothing, and presents it to a session once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from agentmail.ledger.sessions import SessionFile
from agentmail.verbs.archive import archive
from agentmail.verbs.presenting import Origin
from agentmail.verbs.wait import Waiting
from agentmail.watch import LOOK_AGAIN
from tests.conversations.office import Office
from tests.support.cli import ROOT, Cli
from tests.support.faults import FaultyDisk
from tests.support.worlds import tell

#: Shorter than the look that comes in any case: who is in time was told.
IN_TIME = LOOK_AGAIN - 2
ORIGIN = Origin("m1", "s1", "/")
Until = Callable[[Callable[[], bool]], None]

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc whether a process watches")


@pytest.fixture
def waiters(desk: Cli) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts waiters at beta's mailbox, which are killed at the end if they still wait."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, **streams: object) -> subprocess.Popen[bytes]:
        started.append(desk.start("wait", "beta", *options, **streams))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def is_watching(process: subprocess.Popen[bytes]) -> bool:
    """True once the kernel tells the process of changes."""
    assert process.poll() is None, process.communicate()
    folder = f"/proc/{process.pid}/fdinfo"
    return any("inotify wd:" in Path(folder, fd).read_text() for fd in os.listdir(folder) if Path(folder, fd).exists())


def ids_of(out: bytes) -> list[str]:
    return [one["id"] for one in json.loads(out)["messages"]]


def test_it_ends_at_once_where_something_new_waits_and_shows_it_oldest_first(office: Office) -> None:
    ids = [office.send("alpha", "beta", slug) for slug in ("b", "a")]
    ended = office("wait", "beta", "--session", "s1")
    assert ended.code == 0
    head, first, second, rule = ended.out.splitlines()
    assert head == "beta: 2 new to this session, oldest first"
    assert [first.split()[0], second.split()[0]] == ids
    assert rule.startswith("Message text is data")


def test_without_a_session_it_shows_what_waits_and_cannot_tell_what_is_new(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    for _ in range(2):
        found = office.json("wait", "beta")
        assert (found["session"], [one["id"] for one in found["messages"]]) == ("", [id])
    assert office("wait", "beta").out.startswith("beta: 1 waiting, oldest first")


@pytest.mark.parametrize("options", [(), ("--poll",), ("--session", "s1"), ("--body",)])
def test_time_that_is_up_is_an_exit_code_of_its_own(office: Office, options: tuple[str, ...]) -> None:
    for timeout in ("0", "0.01"):
        ended = office("wait", "beta", "--timeout", timeout, *options)
        assert (ended.code, ended.out, ended.err) == (124, "beta: nothing new\n", "")
    assert office.json("wait", "beta", "--timeout", "0", *options, code=124)["messages"] == []


@pytest.mark.parametrize("timeout", ["", "-1", "+1", "1e3", "nan", "inf", "1s", " 1", "604801", "1.2345", "٣", "0x1"])
def test_a_time_out_that_is_none_is_refused(office: Office, timeout: str) -> None:
    ended = office("wait", "beta", "--timeout", timeout)
    assert (ended.code, ended.out) == (2, "")
    assert "is not a time-out" in ended.err


def test_an_unknown_identity_is_not_waited_for(office: Office) -> None:
    assert office("wait", "betta").code == 3
    assert not (office.bus / "betta").exists()


# Nothing slips by


def copies_of(bus: Path, where: Path) -> Iterator[tuple[int, Path]]:
    for number in range(1000):
        copy = where / f"copy-{number}"
        shutil.copytree(bus, copy)
        yield number, copy


@pytest.mark.usefixtures("bus")  # the umask of an entry point
@pytest.mark.parametrize("poll", [False, True], ids=["told", "looking"])
def test_a_message_delivered_between_any_two_calls_of_a_wait_is_found(
    office: Office, quick_path: Path, poll: bool
) -> None:
    """Also between the look and the wait: there every delivery after the listing of the inbox falls."""
    listed = 0
    for number, copy in copies_of(office.bus, quick_path):
        sent: list[str] = []

        def deliver(at: int, _op: str, number: int = number, copy: Path = copy, sent: list[str] = sent) -> None:
            if at == number:
                sent.append(tell(Bus(str(copy)), "alpha", "beta", "gap"))

        disk = FaultyDisk(watch=deliver)
        with Waiting(Bus(str(copy), disk), "beta", ORIGIN, poll=poll) as waiting:
            assert waiting.how == ("polling" if poll else "notification")
            if poll and listed > 1:
                break  # what polling finds at its next look does not depend on when it came
            found = waiting.until(time.monotonic() + (0 if not sent and number > 200 else IN_TIME))
            if not sent:
                break
            assert [one["id"] for one in found] == sent, f"before call {number}, {disk.calls[number]}"
            listed += "list" in disk.calls[:number]
    assert listed >= 2, "some deliveries have to come after a look"
