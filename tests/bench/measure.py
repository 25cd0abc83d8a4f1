"""Times whole processes in turn: A B C A B C ..., so that a machine that drifts drifts for all of them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


class Command:
    """A process to time, `rounds` times at most.

    `before` runs untimed before each run and may give the last words of the call.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        before: Callable[[], Sequence[str]] | None = None,
        codes: tuple[int, ...] = (0,),
        rounds: int = sys.maxsize,
    ) -> None:
        self.words = [str(word) for word in words]
        self.stdin = stdin
        self.env = dict(env or {})
        self.cwd = cwd
        self.before = before
        self.codes = codes
        self.rounds = rounds


class Figure:
    """The runs of one command: wall seconds, and the peak of its memory in KiB."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.peak = 0

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return statistics.median(self.seconds) * 1000


def run_once(command: Command, figure: Figure | None) -> None:
    """One run; its output is read and thrown away, its exit code must be one of those expected."""
    more = list(command.before()) if command.before else []
    reading, writing = os.pipe()
    os.write(writing, command.stdin)
    os.close(writing)
    with open(os.devnull, "wb") as nothing:
        started = time.perf_counter()
        process = subprocess.Popen(
            [*command.words, *more],
            stdin=reading,
            stdout=nothing,
            stderr=nothing,
            env=command.env,
            cwd=command.cwd,
        )
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    os.close(reading)
    if process.returncode not in command.codes:
        raise RuntimeError(f"{command.words} exited {process.returncode}")
    if figure is not None:
        figure.seconds.append(took)
        figure.peak = max(figure.peak, usage.ru_maxrss)


def measure(commands: Mapping[str, Command], rounds: int) -> dict[str, Figure]:
    """Every command `rounds` times, in turn, after one run each that is not counted."""
    figures = {name: Figure() for name in commands}
    for command in commands.values():
        run_once(command, None)
    for turn in range(rounds):
        for name, command in commands.items():
            if turn < command.rounds:
                run_once(command, figures[name])
    return figures


def ratio(of: Figure, to: Figure) -> float:
    """The median of the ratios, pair by pair, of the rounds that both have."""
    return statistics.median(a / b for a, b in zip(of.seconds, to.seconds, strict=False))
