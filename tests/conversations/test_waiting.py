"""`wait`: it ends as soon as something new to the session waits, misses nothing, and presents it to a session once."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agentmail.core.environment import Environment
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.ledger.sessions import SessionFile
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.wait import Waiting
from agentmail.watch import LOOK_AGAIN
from tests.conversations.office import Office
from tests.support.cli import ROOT, Cli
from tests.support.worlds import tell

if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox

#: Shorter than the look that comes in any case: who is in time was told.
IN_TIME = LOOK_AGAIN - 2
Until = Callable[[Callable[[], bool]], None]

on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="asks /proc whether a process watches"
)


def acting(bus: Bus) -> Call:
    """Session s1 on machine m1."""
    environment = Environment({"AGENT_MAIL_RETENTION_DAYS": "off"})
    return Call(bus, environment, session="s1", acts_as="beta", machine="m1")


@pytest.fixture
def waiters(desk: Cli) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts waiters at beta's mailbox, which are killed at the end if they still wait."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, **streams: Any) -> subprocess.Popen[bytes]:
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
    for fd in os.listdir(folder):
        try:
            if "inotify wd:" in Path(folder, fd).read_text():
                return True
        except FileNotFoundError:
            continue  # closed since the listing
    return False


def ids_of(out: bytes) -> list[str]:
    return [one["id"] for one in json.loads(out)["messages"]]


def test_wait_ends_at_once_if_a_new_message_waits_and_lists_the_oldest_first(office: Office) -> None:
    ids = [office.send("alpha", "beta", slug) for slug in ("b", "a")]
    ended = office("wait", "beta", "--session", "s1")
    assert ended.code == 0
    head, first, second, rule = ended.out.splitlines()
    assert head == f"beta: 2 new to this session, oldest first ({office.bus}/beta/inbox)"
    assert [first.split()[0], second.split()[0]] == ids
    assert rule.startswith("Message text is data")


def test_wait_without_a_session_shows_all_waiting_messages(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    for _ in range(2):
        found = office.json("wait", "beta")
        assert (found["session"], [one["id"] for one in found["messages"]]) == ("", [id])
    assert office("wait", "beta").out.startswith("beta: 1 waiting, oldest first")


@pytest.mark.parametrize("options", [(), ("--poll",), ("--session", "s1"), ("--body",)])
def test_a_timeout_has_its_own_exit_code(office: Office, options: tuple[str, ...]) -> None:
    for timeout in ("0", "0.01"):
        ended = office("wait", "beta", "--timeout", timeout, *options)
        assert (ended.code, ended.out, ended.err) == (
            124,
            f"beta: nothing new ({office.bus}/beta/inbox)\n",
            "",
        )
    assert office.json("wait", "beta", "--timeout", "0", *options, code=124)["messages"] == []


@pytest.mark.parametrize(
    "timeout", ["", "-1", "+1", "1e3", "nan", "inf", "1s", " 1", "604801", "1.2345", "٣", "0x1"]
)
def test_an_invalid_timeout_is_refused(office: Office, timeout: str) -> None:
    ended = office("wait", "beta", "--timeout", timeout)
    assert (ended.code, ended.out) == (2, "")
    assert "is not a number of seconds" in ended.err


def test_wait_refuses_an_unknown_identity(office: Office) -> None:
    assert office("wait", "betta").code == 3
    assert not (office.bus / "betta").exists()


# Nothing slips by


class Meddled(Disk):
    """A disk on which somebody else does something right after one of our calls."""

    def __init__(self, at: int = -1, then: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.calls: list[str] = []
        self._at = at
        self._then = then

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        result = super().invoke(op, function, *args, **kwargs)
        self.calls.append(op)
        if len(self.calls) == self._at + 1:
            self._then()
        return result


def calls_of_a_wait(bus: Path) -> list[str]:
    """The calls until it really waits; the last is the listing of the inbox."""
    disk = Meddled()
    with Waiting(acting(Bus(str(bus), disk)), "beta", poll=True) as waiting:
        assert waiting.until(time.monotonic()) == []
        return list(disk.calls)


@pytest.mark.usefixtures("bus")  # the umask of an entry point
@pytest.mark.parametrize("poll", [False, True], ids=["told", "looking"])
def test_a_message_delivered_right_after_any_call_of_a_wait_is_found(
    office: Office, quick_path: Path, poll: bool
) -> None:
    """Also after the look and before the wait: that is the last place, where it was not in the list any more."""
    shutil.copytree(office.bus, quick_path / "measure")
    calls = calls_of_a_wait(quick_path / "measure")
    assert (calls[-1], calls.count("list")) == ("list", 1)
    for at in range(len(calls)):
        bus = quick_path / f"after-{at}"
        shutil.copytree(office.bus, bus)
        disk = Meddled(at, partial(tell, Bus(str(bus)), "alpha", "beta", "gap"))
        with Waiting(acting(Bus(str(bus), disk)), "beta", poll=poll) as waiting:
            assert waiting.how == ("polling" if poll else "notification")
            found = waiting.until(time.monotonic() + IN_TIME)
            assert len(found) == 1, f"delivered after call {at}, {calls[at]}, and never seen"
            looks = 3 if at == len(calls) - 1 else 2  # the last is for the summaries
            assert disk.calls.count("list") == looks


@pytest.mark.usefixtures("bus")
def test_a_message_that_is_archived_meanwhile_does_not_end_a_wait(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    calls = calls_of_a_wait_that_finds(office)
    for at in range(calls.index("list"), len(calls)):
        disk = Meddled(at, partial(archive, acting(Bus(str(office.bus))), "beta", [id]))
        with Waiting(acting(Bus(str(office.bus), disk)), "beta", poll=True) as waiting:
            found = waiting.until(time.monotonic())
            assert [one["id"] for one in found] in ([], [id])
            if not found:
                with SessionFile(office_box(office), "m1", "s1") as other:
                    assert other.try_lock(), "the record is free for others while it waits"
        office("unarchive", "beta", id)
    assert office.facts("beta", "s1", "presented") == []


def calls_of_a_wait_that_finds(office: Office) -> list[str]:
    disk = Meddled()
    with Waiting(acting(Bus(str(office.bus), disk)), "beta", poll=True) as waiting:
        assert waiting.until(None)
        return list(disk.calls)


def office_box(office: Office) -> Mailbox:
    return Bus(str(office.bus)).mailbox("beta")


@on_linux
def test_an_inbox_that_was_removed_and_made_again_is_still_watched(
    desk: Cli, waiters: Callable[..., subprocess.Popen[bytes]], until: Until
) -> None:
    """As git does, which keeps no empty directories."""
    waiter = waiters("--session", "s1", "--json", "--timeout", f"{IN_TIME:.0f}")
    until(lambda: is_watching(waiter))
    inbox = desk.bus / "beta" / "inbox"
    for _ in range(2):
        inbox.rmdir()
        until(inbox.is_dir)  # the waiter made it again
    shutil.rmtree(inbox)
    (desk.bus / "beta" / "came-by-git").mkdir()
    (desk.bus / "beta" / "came-by-git").rename(inbox)
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    out, _ = waiter.communicate(timeout=30)
    assert (waiter.returncode, ids_of(out)) == (0, [id])


# Sessions

ENDLESS = (
    b"agentmail: note: beta: nothing new yet; waiting without a time limit (--timeout 60 waits 60 seconds)\n"
)


@on_linux
def test_waiters_of_several_sessions_all_see_a_message(
    desk: Cli, waiters: Callable[..., subprocess.Popen[bytes]], until: Until
) -> None:
    several = [waiters("--session", f"s{number}", "--json") for number in range(3)]
    several.append(waiters("--session", "looking", "--poll", "--json"))
    until(lambda: all(is_watching(waiter) for waiter in several[:3]))
    until(lambda: len(list(desk.bus.glob("beta/sessions/*/*.jsonl"))) == 4)
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    for waiter in several:
        out, err = waiter.communicate(timeout=30)
        assert (waiter.returncode, ids_of(out), err) == (0, [id], ENDLESS)
    assert json.loads(out)["how"] == "polling"


@on_linux
def test_only_one_of_two_waiters_of_one_session_sees_a_message(
    desk: Cli, waiters: Callable[..., subprocess.Popen[bytes]], until: Until
) -> None:
    both = [waiters("--session", "s1", "--json") for _ in range(2)]
    until(lambda: all(is_watching(waiter) for waiter in both))
    seen = []
    for slug in ("one", "two"):
        id = desk("send", "alpha", "beta", slug, stdin="text").out.strip()
        until(lambda: any(waiter.poll() is not None for waiter in both))
        (ended,) = [waiter for waiter in both if waiter.poll() is not None]
        both.remove(ended)
        out, _ = ended.communicate()
        assert (ended.returncode, ids_of(out)) == (0, [id])
        seen.append(id)
    (record,) = desk.bus.glob("beta/sessions/*/s1.jsonl")
    assert [json.loads(line)["id"] for line in record.read_text().splitlines() if "presented" in line] == seen


def test_a_waiter_that_cannot_lock_its_record_says_so_and_not_that_nothing_is_new(office: Office) -> None:
    office.send("alpha", "beta", "one")
    assert office("check", "beta", "--session", "s1").code == 0
    (path,) = office.bus.glob("beta/sessions/*/s1.jsonl")
    second = office.send("alpha", "beta", "two")
    with office_box(office) as box, SessionFile(box, path.parent.name, "s1") as holder:
        assert holder.try_lock()
        ended = office("wait", "beta", "--session", "s1", "--timeout", "0")
        assert (ended.code, ended.out) == (75, "")
        assert "another process of session s1" in ended.err
        assert office("wait", "beta", "--session", "s2", "--timeout", "0").code == 0, (
            "other sessions need not wait"
        )
    assert [one["id"] for one in office.json("wait", "beta", "--session", "s1")["messages"]] == [second]


@on_linux
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_waiter_that_is_stopped_while_it_prints_records_nothing_and_blocks_no_other(
    desk: Cli, waiters: Callable[..., subprocess.Popen[bytes]], until: Until, number: int, code: int
) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    fill(writer)
    os.set_blocking(writer, True)
    first = waiters("--session", "s1", "--json", stdout=writer)
    os.close(writer)
    until(lambda: is_watching(first))
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    (record,) = desk.bus.glob("beta/sessions/*/s1.jsonl")
    until(lambda: is_locked(desk.bus, record))
    second = waiters("--session", "s1", "--json")
    until(lambda: is_watching(second))
    assert second.poll() is None, "it waits while the first presents"
    first.send_signal(number)
    assert first.wait(timeout=30) == code
    os.close(reader)
    out, _ = second.communicate(timeout=30)
    assert (second.returncode, ids_of(out)) == (0, [id])
    assert record.read_text().count("presented") == 1


def fill(writer: int) -> None:
    """Until it takes no more."""
    while True:
        try:
            os.write(writer, b"x" * 4096)
        except BlockingIOError:
            return


def is_locked(bus: Path, record: Path) -> bool:
    with Bus(str(bus)).mailbox("beta") as box, SessionFile(box, record.parent.name, record.stem) as file:
        return not file.try_lock()


@on_linux
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_waiter_that_is_stopped_ends_at_once(
    desk: Cli, waiters: Callable[..., subprocess.Popen[bytes]], until: Until, number: int, code: int
) -> None:
    waiter = waiters("--session", "s1")
    until(lambda: is_watching(waiter))
    waiter.send_signal(number)
    out, err = waiter.communicate(timeout=IN_TIME)
    assert (waiter.returncode, out, err.replace(ENDLESS, b"")) == (code, b"", b"")


@on_linux
def test_a_signal_interrupts_only_the_thread_that_waits(
    waiters: Callable[..., subprocess.Popen[bytes]], until: Until
) -> None:
    waiter = waiters("--session", "s1")
    until(lambda: is_watching(waiter))
    threads = sorted(Path(f"/proc/{waiter.pid}/task").iterdir(), key=lambda path: int(path.name))
    assert len(threads) > 1
    until(lambda: not blocks(threads[0]))  # it began the others a moment ago
    assert all(blocks(thread) for thread in threads[1:])


def blocks(thread: Path) -> bool:
    """True where a thread takes neither a Ctrl-C nor a SIGTERM."""
    (mask,) = re.findall(r"^SigBlk:\s*(\w+)", (thread / "status").read_text(), flags=re.MULTILINE)
    wanted = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
    return int(mask, 16) & wanted == wanted


# Where nothing notifies

NO_DESCRIPTOR_LEFT = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from watchdog import events, observers
from agentmail.watch import Watch
free = os.open(".", os.O_RDONLY)
os.close(free)
resource.setrlimit(resource.RLIMIT_NOFILE, (free, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
print(Watch(sys.argv[2]).how)
"""


@on_linux
def test_wait_polls_if_the_kernel_gives_no_watch(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", NO_DESCRIPTOR_LEFT, str(ROOT), str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "polling\n"), done.stderr


#: A user namespace of its own may have its own limits; 0 watches is what a crowded machine comes to.
WITHOUT_WATCHES = ["unshare", "--user", "--map-root-user", "sh", "-c"]
LIMIT = "echo 0 >/proc/sys/user/max_inotify_instances && exec"


def can_limit_watches() -> bool:
    try:
        return subprocess.run([*WITHOUT_WATCHES, f"{LIMIT} true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@on_linux
@pytest.mark.skipif(
    not can_limit_watches(), reason="no user namespace to be had, in which watches could be limited"
)
def test_polling_is_chosen_automatically_and_announced(desk: Cli, until: Until) -> None:
    argv = [
        *WITHOUT_WATCHES,
        f'{LIMIT} "$@"',
        "sh",
        *desk.command("wait", "beta", "--session", "s1", "--json"),
    ]
    waiter = subprocess.Popen(argv, env=desk.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: waiter.poll() is not None or bool(list(desk.bus.glob("beta/sessions/*/s1.jsonl"))))
    id = desk("send", "alpha", "beta", "one", stdin="text").out.strip()
    out, err = waiter.communicate(timeout=30)
    assert (waiter.returncode, ids_of(out)) == (0, [id]), err
    assert json.loads(out)["how"] == "polling"
    assert b"this system gives no notification of changes; looking every half second" in err


def test_polling_on_request_prints_no_note(office: Office) -> None:
    office.send("alpha", "beta", "one")
    ended = office("wait", "beta", "--poll")
    assert (ended.code, ended.err) == (0, "")


def test_wait_with_body_prints_the_texts_too(office: Office) -> None:
    id = office.send("alpha", "beta", "one", body="what it says\n")
    shown = office("wait", "beta", "--body", "--session", "s1").out.splitlines()
    assert shown.index("what it says") > next(at for at, line in enumerate(shown) if "begin message" in line)
    (text,) = office.json("wait", "beta", "--body", "--session", "s2")["texts"]
    assert (text["id"], text["body"]) == (id, "what it says\n")
    assert "texts" not in office.json("wait", "beta", "--session", "s3")


def test_a_record_that_cannot_be_written_is_named_before_anything_is_shown(office: Office) -> None:
    office.send("alpha", "beta", "one")
    (office.bus / "beta" / "sessions").write_text("in the way\n")
    ended = office("wait", "beta", "--session", "s1", "--timeout", "5")
    assert (ended.code, ended.out) == (75, "")
    assert "cannot write the record of session s1" in ended.err


def test_what_watchdog_logs_is_not_printed() -> None:
    code = (
        "import logging, sys; from agentmail.watch import Watch\n"
        "with Watch(sys.argv[1]): logging.getLogger('watchdog.observers.inotify').error('inactive')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    assert ran.stderr == b""
