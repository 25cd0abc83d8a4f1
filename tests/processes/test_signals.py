"""SIGINT and SIGTERM: no half message, nothing left in tmp, and an exit code that names the signal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes.within import need
from tests.support.cli import Cli, text_for
from tests.support.reader import header_and_body, read_box

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
BODY = b"the whole body\n" * 100


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Look until it is so; a minute is far more than a machine under load needs."""
    deadline = time.monotonic() + 50
    while not true():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.002)


def drained(pipe: int) -> bool:
    """True where the other side has read all that was written."""
    (left,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    return bool(left == 0)


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_send_that_waits_for_its_body_leaves_nothing(
    ready: Cli, tree: Callable[[Path], dict[str, str]], number: signal.Signals, code: int
) -> None:
    before = tree(ready.bus)
    process = ready.start("send", "alpha", "beta", "hello")
    assert process.stdin is not None
    process.stdin.write(b"the first half of a body, ")
    process.stdin.flush()
    pipe = process.stdin.fileno()
    wait_until(lambda: drained(pipe) or process.poll() is not None, "the program reads its standard input")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, b"", b"")
    assert tree(ready.bus) == before


@contextlib.contextmanager
def held(
    run: Cli, call: str, when: int, words: tuple[str, ...]
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The program, held for a while at one of its system calls; and the process to signal.

    Held means: inside the call, before the kernel makes it. strace says so in its log.
    """
    need("strace")
    log = run.home / "strace.log"
    strace = [shutil.which("strace") or "strace", "-f", "-qq", "-o", str(log)]
    options = ["-e", f"trace={call}", "-e", f"inject={call}:delay_enter=700000:when={when}"]
    with subprocess.Popen(
        [*strace, *options, *run.command(*words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=run.environment(),
        cwd=run.home,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(text_for(words, BODY))
        process.stdin.close()
        process.stdin = None

        def there() -> bool:
            lines = log.read_text().splitlines() if log.exists() else []
            if process.poll() is not None and not lines:
                pytest.skip(f"strace is not possible here: {process.stderr and process.stderr.read()!r}")
            return len(lines) >= when

        wait_until(there, f"{call} number {when}")
        yield process, int(log.read_text().split()[0])


#: The calls of a delivery and of its copy by kind and number, from the first write to the last release.
SEND = [
    *(("fsync", number) for number in (1, 2, 3, 4)),
    *(("link,linkat", number) for number in (1, 2)),
    *(("unlink,unlinkat", number) for number in (1, 2)),
]
ARCHIVE = [
    *(("fsync", number) for number in (1, 2, 3)),
    ("link,linkat", 1),
    *(("unlink,unlinkat", number) for number in (1, 2)),
    *(("rename,renameat", 1),) * 2,
]


def both_signals(moments: list[tuple[str, int]]) -> list[tuple[str, int, signal.Signals, int]]:
    """Each moment with one of the two signals, in turn."""
    return [(*moment, *SIGNALS[at % 2]) for at, moment in enumerate(moments)]


@pytest.mark.slow
@pytest.mark.parametrize(("call", "when", "number", "code"), both_signals(SEND))
def test_a_send_stopped_at_any_disk_call_leaves_a_whole_message_or_none(
    ready: Cli, call: str, when: int, number: signal.Signals, code: int
) -> None:
    with held(ready, call, when, ("send", "alpha", "beta", "hello")) as (process, target):
        strike(target, number)
        out, err = process.communicate(timeout=30)
    alpha, beta = read_box(ready.bus / "alpha"), read_box(ready.bus / "beta")
    for box in (alpha, beta):
        assert (box.broken, box.hidden, box.tmp) == ([], [], [])
    assert [header_and_body(data)[1] for data in beta.inbox.values()] in ([], [BODY])
    assert alpha.sent in ({}, beta.inbox)
    if process.returncode == 0:
        assert out.decode().split() == list(beta.inbox)
    else:
        assert (process.returncode, out, err) == (code, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize(("call", "when", "number", "code"), both_signals(ARCHIVE))
def test_an_interrupted_archive_keeps_the_message_and_succeeds_when_repeated(
    ready: Cli, call: str, when: int, number: signal.Signals, code: int
) -> None:
    id = ready("send", "alpha", "beta", "hello", stdin=BODY).out.strip()
    with held(ready, call, when, ("archive", "beta", id)) as (process, target):
        strike(target, number)
        process.communicate(timeout=30)
    box = read_box(ready.bus / "beta")
    assert process.returncode in (0, code)
    assert (box.broken, box.hidden, list(box.received)) == ([], [], [id])
    assert ready("archive", "beta", id).code == 0
    box = read_box(ready.bus / "beta")
    assert (box.inbox, list(box.archive), box.tmp, box.hidden) == ({}, [id], [], [])
    assert header_and_body(box.archive[id])[1] == BODY


def strike(target: int, number: signal.Signals) -> None:
    """Signal the process, if a slow machine has not let it end meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(target, number)
