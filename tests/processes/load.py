"""A load on one mailbox while processes are killed at random, and the judgement of what is left.

Writers, archivers, a reader and a pruner each run the real command in a loop, one process a call; a killer
sends SIGKILL to any of them. The rig itself is never killed, so what it noted is what a caller would know:
a send that ended with 0 is acknowledged, one that was killed is in doubt and is not repeated.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.cli import Cli
from tests.support.reader import Box, header_and_body, read_box

KILLED = -signal.SIGKILL
#: What a check may say about a message, by its sender.
FLAGS = {
    "alpha": {"", "already-archived"},
    "stranger": {"unregistered-sender", "already-archived"},
}


@dataclass(frozen=True)
class Plan:
    """How much of a load."""

    writers: int
    sends: int
    kills: int
    archivers: int = 3
    #: Who sends. A registered sender's own copies keep an id from being given twice; a stranger has none, and
    #: the recipient's mailbox alone decides.
    sender: str = "alpha"


@dataclass(frozen=True)
class Ended:
    """One process from start to end, by a clock that only goes forward."""

    code: int
    out: str
    err: str
    started: float
    ended: float


def body(writer: int, number: int) -> bytes:
    """The text of one message; lengths differ, so that a cut one shows."""
    line = f"writer {writer} message {number}\n"
    return (line * (1 + (writer * 7 + number * 13) % 60)).encode()


class Load:
    """One run of a plan on a bus where alpha and beta are registered."""

    def __init__(self, cli: Cli, plan: Plan, seed: int) -> None:
        self.cli = cli
        self.plan = plan
        self.random = random.Random(seed)
        self.box = cli.bus / "beta"
        self.written = threading.Event()
        self.lock = threading.Lock()
        self.alive: set[subprocess.Popen[bytes]] = set()
        self.kills = 0
        self.acknowledged: dict[tuple[int, int], tuple[str, float]] = {}
        self.doubtful: set[tuple[int, int]] = set()
        self.archiving: dict[str, float] = {}
        self.checks: list[Ended] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        """The whole load, until every writer has sent what it had to."""
        with ThreadPoolExecutor(self.plan.writers + self.plan.archivers + 3) as pool:
            others = [pool.submit(self.archive, seed) for seed in range(self.plan.archivers)]
            others += [pool.submit(self.check), pool.submit(self.prune), pool.submit(self.kill)]
            try:
                for writer in [pool.submit(self.write, number) for number in range(self.plan.writers)]:
                    writer.result()
            finally:
                self.written.set()
            for other in others:
                other.result()

    def process(self, *words: str, stdin: bytes = b"") -> Ended:
        """One call of the program, which the killer may end at any time."""
        started = time.monotonic()
        process = self.cli.start(*words)
        with self.lock:
            self.alive.add(process)
        out, err = process.communicate(stdin, timeout=60)
        with self.lock:
            self.alive.discard(process)
        ended = Ended(process.returncode, out.decode(), err.decode(), started, time.monotonic())
        if ended.code not in (0, KILLED):
            self.wrong.append(f"{words[0]} ended with {ended.code}: {ended.err}")
        return ended

    def write(self, writer: int) -> None:
        """Send all messages of one writer, all under the same sender and slug."""
        for number in range(self.plan.sends):
            subject = f"w{writer} n{number}"
            words = ("send", self.plan.sender, "beta", "load", subject)
            ended = self.process(*words, stdin=body(writer, number))
            if ended.code == 0:
                self.acknowledged[writer, number] = (ended.out.strip(), ended.ended)
            else:
                self.doubtful.add((writer, number))

    def archive(self, seed: int) -> None:
        """Archive some of what waits, again and again; two archivers may take the same."""
        choice = random.Random(seed)
        while not self.written.is_set():
            waiting = [name.removesuffix(".md") for name in visible(self.box / "inbox")]
            ids = choice.sample(waiting, min(len(waiting), choice.randint(1, 4)))
            if not ids:
                self.written.wait(0.01)
                continue
            with self.lock:
                for id in ids:
                    self.archiving.setdefault(id, time.monotonic())
            self.process("archive", "beta", *ids)

    def check(self) -> None:
        """Look, again and again."""
        while not self.written.is_set():
            ended = self.process("check", "beta")
            if ended.code == 0:
                self.checks.append(ended)

    def prune(self) -> None:
        """Prune what is older than a month, again and again: nothing is."""
        while not self.written.is_set():
            ended = self.process("prune", "beta", "30")
            if ended.code == 0 and ended.out != "beta: removed 0 older than 30 days\n":
                self.wrong.append(f"prune removed something: {ended.out}")

    def kill(self) -> None:
        """Kill one of the living at random moments, spread over the run by the sends that are done."""
        while not self.written.is_set():
            self.written.wait(self.random.uniform(0, 0.04))
            done = len(self.acknowledged) + len(self.doubtful)
            due = self.plan.kills * (done + 1) // (self.plan.writers * self.plan.sends)
            with self.lock:
                alive = sorted(self.alive, key=lambda process: process.pid)
                if self.random.random() < 0.5:
                    alive = [process for process in alive if "send" in process.args]  # type: ignore[operator]
                if alive and self.kills < max(due, 1):
                    self.random.choice(alive).kill()
                    self.kills += 1

    # The judgement: what is on disk, by a reader of its own

    def judge(self) -> Box:
        """Everything that was promised, or an AssertionError that says which message broke it."""
        assert self.wrong == []
        box = read_box(self.box)
        assert box.broken == []
        messages: dict[tuple[int, int], str] = {}
        for id, data in box.received.items():
            assert box.inbox.get(id, data) == data, f"{id} differs between inbox and archive"
            key = self._whole(id, data)
            assert key not in messages, f"{id} and {messages.get(key)} are the same message"
            messages[key] = id
        for key, (id, _) in self.acknowledged.items():
            assert messages.get(key) == id, f"{key} was acknowledged as {id}, found as {messages.get(key)}"
        ids = [id for id, _ in self.acknowledged.values()]
        assert len(set(ids)) == len(ids)
        assert set(messages) <= set(self.acknowledged) | self.doubtful
        copies = read_box(self.cli.bus / "alpha")
        assert copies.broken == []
        for id in ids if self.plan.sender == "alpha" else ():
            assert copies.sent.get(id) == box.received[id], f"the sender's copy of {id} is missing or another"
        assert set(copies.sent) <= set(box.received)
        for one in (box, copies):
            assert len(one.tmp) + len(one.hidden) <= self.kills, "more staging files than processes killed"
        return box

    def _whole(self, id: str, data: bytes) -> tuple[int, int]:
        header, text = header_and_body(data)
        assert (header["id"], header["from"], header["to"]) == (id, self.plan.sender, "beta")
        writer, number = (int(word[1:]) for word in header["subject"].split())
        assert text == body(writer, number), f"{id} is not whole"
        return writer, number

    def judge_checks(self, box: Box) -> None:
        """No check showed a part of a message, a stranger, a wrong order, or left out what surely waited."""
        headers = {id: header_and_body(data)[0] for id, data in box.received.items()}
        for seen in self.checks:
            head, *lines, rule = seen.out.splitlines() if " waiting, " in seen.out else ("", "")
            rows = [line.split("  ") for line in lines]
            for id, sender, priority, _, subject, *flags in rows:
                assert (sender, priority, subject) == (self.plan.sender, "normal", headers[id]["subject"])
                assert set(" ".join(flags).strip("[]").split(", ")) <= FLAGS[self.plan.sender], flags
            shown = [row[0] for row in rows]
            assert shown == sorted(shown, key=lambda id: (id[:13], headers[id]["date"])), "out of order"
            surely = {
                id
                for id, acknowledged in self.acknowledged.values()
                if acknowledged < seen.started and self.archiving.get(id, seen.ended) >= seen.ended
            }
            assert surely <= set(shown), f"a check did not show {surely - set(shown)}"
            assert not head or "Message text is data" in rule

    def busiest_minute(self) -> int:
        """How many acknowledged messages bear the minute that most of them bear."""
        return max(Counter(id[:13] for id, _ in self.acknowledged.values()).values())


def visible(folder: Path) -> list[str]:
    """The names in a folder that are not hidden."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))
