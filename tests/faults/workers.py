"""The work of each process of a load, which it does until it is killed, and the log that it writes.

Each line of a log is one appending write, outside of the bus: `event time ...`, the time by the monotonic clock,
which all processes of a machine share.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from agentmail.core.layout import Clock
from tests.faults.victim import MortalDisk
from tests.support.cli import Cli, Ran
from tests.support.in_process import run_in_process
from tests.support.worlds import MOMENT

MINUTE_NS = 60 * 10**9


class OneMinute(Clock):
    """A clock whose seconds pass and whose minute does not: every message wants the same id."""

    def now_ns(self) -> int:
        return MOMENT - MOMENT % MINUTE_NS + time.monotonic_ns() % MINUTE_NS


class Log:
    """One process's account of itself."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(self, what: str, *words: object) -> None:
        """One line, whole or not at all."""
        line = " ".join(str(word) for word in (what, time.monotonic_ns(), *words))
        os.write(self.fd, line.replace("\n", "|").encode() + b"\n")


def text(writer: int, number: int) -> bytes:
    """The body of one message; lengths differ, so that a cut one shows."""
    line = f"writer {writer} message {number}\n"
    return (line * (1 + (writer * 7 + number * 13) % 240)).encode()


class Post:
    """The commands on one bus, in this process, on a disk that may leave out one kind of sync."""

    def __init__(self, bus: Path, sender: str, left_out: str = "nothing") -> None:
        self.bus = bus
        self.sender = sender
        self.left_out = left_out

    def __call__(self, *words: str, stdin: bytes = b"", clock: Clock | None = None) -> Ran:
        """Run one command."""
        return run_in_process(words, self.bus, stdin, MortalDisk("", 0, self.left_out), clock)


class CommandPost(Post):
    """The same commands, each as a process; the clock is the machine's."""

    def __init__(self, bus: Path, sender: str, home: Path) -> None:
        super().__init__(bus, sender)
        self.command = Cli(bus, home)

    def __call__(self, *words: str, stdin: bytes = b"", clock: Clock | None = None) -> Ran:
        return self.command(*words, stdin=stdin, timeout=60)


def write(post: Post, log: Log, writer: int) -> None:
    """Send message after message with one sender and slug; one in doubt is not sent again."""
    number = _next(log)
    while True:
        log.say("attempt", writer, number)
        words = ("send", post.sender, "beta", "load", f"w{writer}", f"n{number}")
        ended = post(*words, stdin=text(writer, number), clock=OneMinute())
        if ended.code == 0:
            log.say("sent", writer, number, ended.out.strip())
        else:
            log.say("failed", ended.code, ended.err)
        number += 1


def _next(log: Log) -> int:
    """The number after the last one attempted by whoever was this writer before."""
    lines = log.path.read_text().splitlines()
    return max((int(line.split()[3]) + 1 for line in lines if line.startswith("attempt ")), default=0)


def archive(post: Post, log: Log, seed: int) -> None:
    """Archive some of what waits, again and again; two archivers may take the same."""
    choice = random.Random(f"{seed} {os.getpid()}")
    while True:
        waiting = [name[:-3] for name in os.listdir(post.bus / "beta" / "inbox") if name[0] != "."]
        ids = choice.sample(waiting, min(len(waiting), choice.randint(1, 4)))
        if not ids:
            time.sleep(0.002)
            continue
        log.say("archive", *ids)
        ended = post("archive", "beta", *ids)
        if ended.code == 0:
            log.say("archived", *ids)
        else:
            log.say("failed", ended.code, ended.err)


def check(post: Post, log: Log, _number: int) -> None:
    """Check, again and again; each row that was not seen before is logged in full."""
    known: set[str] = set()
    while True:
        started = time.monotonic_ns()
        ended = post("check", "beta")
        if ended.code:
            log.say("failed", ended.code, ended.err)
            continue
        lines = [line for line in ended.out.splitlines() if line[:1].isdigit()]
        for line in {*lines} - known:
            known.add(line)
            id, sender, priority, _, subject, *flags = line.split("  ")
            log.say("row", id, sender, priority, *subject.split(), *flags)
        log.say("looked", started, *(line.split("  ")[0] for line in lines))
        if lines and "Message text is data" not in ended.out.splitlines()[-1]:
            log.say("failed", "the rule is missing", ended.out)


def prune(post: Post, log: Log, _number: int) -> None:
    """Prune messages older than a month, again and again; there is none."""
    while True:
        ended = post("prune", "beta", "30")
        if ended.code or "removed 0 " not in ended.out:
            log.say("failed", ended.code, ended.out, ended.err)
        time.sleep(0.01)


ROLES: dict[str, Callable[[Post, Log, int], None]] = {
    "write": write,
    "archive": archive,
    "check": check,
    "prune": prune,
}
