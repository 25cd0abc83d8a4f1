"""While `wire` works, other programs save the settings, the disk fails, or the process is killed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.errors import AgentMailError, TryAgain, Unconfirmed
from agentmail.core.fs import Disk
from agentmail.hosts.claude_code.host import CLAUDE_CODE
from agentmail.hosts.hooks_file.command import own_root
from agentmail.hosts.hooks_file.settings import unwire, wire, wired
from agentmail.hosts.settings_file.change import SettingsFile
from tests.support.faults import FAULTS, FaultyDisk, NotApplicable
from tests.support.wiring import NOTES, Home

WANTED = CLAUDE_CODE.entries(own_root(), sys.executable, wake=False)
DATA = b'{\n  "model": "x",\n  "hooks": {"Stop": []}\n}\n'


def complete(data: bytes) -> bytes:
    return wire(data, WANTED)


FILES = {"a file": DATA, "an empty file": b"", "no file": None, "a wired file": wire(DATA, WANTED)}


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


def settings_file(home: Home, disk: Disk | None = None) -> SettingsFile:
    return CLAUDE_CODE.settings_file(disk or Disk(), str(home.settings))


def replaced(path: Path, data: bytes) -> None:
    """As a careful program saves: beside it, then renamed."""
    beside = path.with_name("settings.json.saved")
    beside.write_bytes(data)
    os.replace(beside, path)


# --- another program saves -------------------------------------------------------------------------------------


def calls_of_wiring(home: Home) -> list[str]:
    """The calls of a healthy wiring up to its last look at the file, which is as before after it."""
    disk = FaultyDisk()
    settings_file(home, disk).wire(complete)
    home.put(DATA)
    for note in NOTES:
        (home.config / note).unlink()
    return disk.calls[: len(disk.calls) - disk.calls[::-1].index("open")]


@pytest.mark.parametrize("save", [replaced, Path.write_bytes], ids=["renamed onto", "written in place"])
def test_what_another_program_saves_at_any_moment_is_kept_with_our_entries(
    home: Home, save: Callable[[Path, bytes], object]
) -> None:
    home.put(DATA)
    saved = DATA.replace(b'"x"', b'"saved meanwhile"')
    calls = calls_of_wiring(home)
    assert calls.count("exchange") == 1
    assert len(calls) > 40
    for at, op in enumerate(calls):
        home.put(DATA)

        def watch(number: int, _op: str, at: int = at) -> None:
            if number == at:
                save(home.settings, saved)

        disk = FaultyDisk(watch=watch)
        settings_file(home, disk).wire(complete)
        disk.bury()
        now = home.settings.read_bytes()
        assert (len(wired(now)), unwire(now)) == (3, saved), f"saved before call {at} ({op})"
        settings_file(home).unwire()


def test_without_an_atomic_exchange_the_file_is_renamed_onto(home: Home) -> None:
    home.put(DATA)
    disk = FaultyDisk()
    disk.broken = lambda op: OSError(errno.EINVAL, "Invalid argument") if op == "exchange" else None
    settings_file(home, disk).wire(complete)
    disk.bury()
    assert unwire(home.settings.read_bytes()) == DATA
    assert set(os.listdir(home.config)) == {"settings.json", *NOTES}


REWRITER = """
import json, os, sys, time
path, count = sys.argv[1], int(sys.argv[2])
for number in range(1, count + 1):
    with open(path) as file:
        found = json.load(file)
    found["number"] = number
    with open(path + ".saved", "w") as file:
        json.dump(found, file, indent=2)
    os.replace(path + ".saved", path)
    time.sleep(0.001)
"""


def test_a_program_that_saves_continuously_loses_nothing_and_the_file_is_complete_at_every_moment(
    home: Home,
) -> None:
    home.put(b'{"number": 0, "theirs": [1, 2, 3]}')
    writer = subprocess.Popen([sys.executable, "-I", "-S", "-c", REWRITER, home.settings, "300"])
    seen: list[int] = []
    while writer.poll() is None:
        found = json.loads(home.settings.read_bytes())
        assert found["theirs"] == [1, 2, 3]
        seen.append(found["number"])
        try:
            settings_file(home).wire(complete)
            settings_file(home).unwire()
        except TryAgain:
            continue  # five times in a row it came back without ours, which the error says
    assert writer.returncode == 0
    assert len(seen) > 1
    settings_file(home).wire(complete)
    found = json.loads(home.settings.read_bytes())
    assert (found["number"], found["theirs"], len(wired(home.settings.read_bytes()))) == (300, [1, 2, 3], 3)


def test_concurrent_wire_and_unwire_leave_one_of_the_two_results(home: Home) -> None:
    home.put(DATA)
    failed: list[BaseException] = []

    def often(act: Callable[[SettingsFile], object]) -> None:
        try:
            for _ in range(20):
                act(settings_file(home))
        except BaseException as error:
            failed.append(error)

    acts: list[Callable[[SettingsFile], object]] = [
        lambda file: file.wire(complete),
        lambda file: file.wire(
            lambda data: wire(data, CLAUDE_CODE.entries(own_root(), sys.executable, wake=True))
        ),
        lambda file: file.unwire(),
    ]
    threads = [threading.Thread(target=often, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [error for error in failed if not isinstance(error, TryAgain)] == []
    settings_file(home).unwire()
    assert home.settings.read_bytes() == DATA


def test_wire_waits_for_a_file_that_is_being_written_in_place(home: Home) -> None:
    home.put(b"")
    os.utime(home.settings)
    done: list[Any] = []
    worker = threading.Thread(target=lambda: done.append(settings_file(home).wire(complete)))
    worker.start()
    home.settings.write_bytes(DATA[:9])
    home.settings.write_bytes(DATA)
    worker.join()
    assert unwire(home.settings.read_bytes()) == DATA


class Undone(FaultyDisk):
    """A disk on which another program puts back its own copy after every rename."""

    def real(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        result = super().real(op, function, *args, **kwargs)
        if op == "exchange":
            Path(self.path).write_bytes(DATA)
        return result

    path = ""


def test_a_program_that_always_restores_its_own_copy_is_a_temporary_failure(home: Home) -> None:
    home.put(DATA)
    disk = Undone()
    disk.path = str(home.settings)
    with pytest.raises(TryAgain, match="changed back 5 times by another program"):
        settings_file(home, disk).wire(complete)
    disk.bury()
    assert home.settings.read_bytes() == DATA
    assert os.listdir(home.config) == ["settings.json"]


# --- the disk fails, or the process is killed --------------------------------------------------------------------


#: The everyday suite has these faults, each at every second call, so that each call meets two; the slow tests have
#: every fault at every call.
EVERYDAY = ["fails with ENOSPC", "stays broken with EIO", "is short", "crashes"]
FAULTS_AND_CALLS = [pytest.param(name, slice(None), marks=pytest.mark.slow, id=name) for name in FAULTS] + [
    pytest.param(name, slice(number % 2, None, 2), id=f"sampled, {name}")
    for number, name in enumerate(EVERYDAY)
]


@pytest.fixture
def healthy(quick_path: Path) -> Callable[[str, str], list[str]]:
    def calls(act: str, start: str) -> list[str]:
        home = arranged(quick_path / f"healthy-{act}-{start}", act, start)
        disk = FaultyDisk()
        attempt(act, home, disk)
        disk.bury()
        return disk.calls

    return calls


def arranged(place: Path, act: str, start: str) -> Home:
    home = Home(place)
    data = FILES[start]
    if data is not None:
        home.put(data)
    if act == "unwire":
        settings_file(home).wire(complete)
    return home


def attempt(act: str, home: Home, disk: Disk) -> AgentMailError | OSError | None:
    file = settings_file(home, disk)
    if home.settings.exists():
        os.utime(
            home.settings, (1_000_000_000, 1_000_000_000)
        )  # long ago, so that an empty file is just that
    try:
        file.wire(complete) if act == "wire" else file.unwire()
    except (AgentMailError, OSError) as error:
        return error
    return None


def content(home: Home) -> bytes | None:
    return home.settings.read_bytes() if home.settings.exists() else None


@pytest.mark.parametrize(("fault", "which"), FAULTS_AND_CALLS)
@pytest.mark.parametrize(
    "act, start", [("wire", name) for name in FILES] + [("unwire", name) for name in FILES]
)
def test_after_any_fault_the_file_is_complete_and_a_retry_succeeds(
    act: str, start: str, fault: str, which: slice, healthy: Callable[[str, str], list[str]], quick_path: Path
) -> None:
    points = 0
    for at, op in list(enumerate(healthy(act, start)))[which]:
        home = arranged(quick_path / f"{at}", act, start)
        before = content(home)
        plain = unwire(FILES[start] or b"")
        after = wire(FILES[start] or b"", WANTED) if act == "wire" else None if start == "no file" else plain
        disk = FaultyDisk(FAULTS[fault], at)
        outcome: object = "killed"
        try:
            outcome = attempt(act, home, disk)
        except NotApplicable:
            continue
        except BaseException:
            assert disk.dead
        finally:
            disk.bury()
        points += 1
        where = f"{act} {start}: call {at} ({op}) {fault}: {outcome!r}"
        assert content(home) in (before, after), where
        if outcome is None:
            assert content(home) == after, where
        elif isinstance(outcome, Exception) and not isinstance(outcome, Unconfirmed):
            assert content(home) == before, where
        assert attempt(act, home, Disk()) is None, where
        assert len(wired(content(home) or b"")) == (3 if act == "wire" else 0), where
        assert attempt("unwire", home, Disk()) is None, where
        assert (content(home) or b"{}") in (FILES[start] or b"{}", plain or b"{}", b"{}\n"), where
        left = set(os.listdir(home.config)) if home.config.exists() else set()
        assert left <= {"settings.json"}, where
    step = which.step or 1
    assert points > 10 // step or fault in ("is short", "crashes halfway") or "stays" in fault
    assert points > 0 or fault == "crashes halfway" or step > 1
