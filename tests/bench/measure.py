"""Times whole processes in turn, each beside a run of the floor: floor A floor B floor C, then again.

Why the floor each time: the machine's speed drifts, and a large command leaves cold caches to the next one. The floor
right before a command meets the same conditions, so its ratio to the floor does not depend on its place in the round.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO


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
    """The runs of one command: wall seconds, those of the floor right before each, and the peak of memory in KiB."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.floors: list[float] = []
        self.peak = 0

    @property
    def ratios(self) -> list[float]:
        """Each run in floors."""
        return [run / floor for run, floor in zip(self.seconds, self.floors, strict=True)]

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return statistics.median(self.seconds) * 1000


#: What throws an output away. Not the null device: what is printed there was shown to nobody, and is not recorded.
SINK = "/dev/zero"
#: Starts a process and prints the peak of its memory. A process has, before it becomes another program, the memory
#: of the one that starts it; so that one is a bare interpreter, and nothing that the bench itself has loaded.
PEAK = """
import posix, sys
silent = [(posix.POSIX_SPAWN_OPEN, fd, "/dev/zero", posix.O_WRONLY, 0) for fd in (1, 2)]
pid = posix.posix_spawnp(sys.argv[1], sys.argv[1:], posix.environ, file_actions=silent)
_, status, usage = posix.wait4(pid, 0)
posix.write(1, str(usage.ru_maxrss).encode())
posix._exit(posix.waitstatus_to_exitcode(status))
"""


def run_once(command: Command, figure: Figure | None) -> None:
    """One run; its output is thrown away, its exit code must be one of those expected."""
    with open(SINK, "wb") as nothing:
        started, process = _started(command, command.words, nothing)
        process.wait()
        took = time.perf_counter() - started
    _expected(command, process)
    if figure is not None:
        figure.seconds.append(took)


def peak_of(command: Command) -> int:
    """The peak memory of one run, in KiB."""
    python = os.path.realpath(sys.executable)
    _, process = _started(command, [python, "-I", "-S", "-c", PEAK, *command.words], subprocess.PIPE)
    out = process.communicate()[0]
    _expected(command, process)
    return int(out)


def _started(
    command: Command, words: Sequence[str], stdout: IO[bytes] | int
) -> tuple[float, subprocess.Popen[bytes]]:
    more = list(command.before()) if command.before else []
    reading, writing = os.pipe()
    os.write(writing, command.stdin)
    os.close(writing)
    started = time.perf_counter()
    process = subprocess.Popen(
        [*words, *more],
        stdin=reading,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env=command.env,
        cwd=command.cwd,
    )
    os.close(reading)
    return started, process


def _expected(command: Command, process: subprocess.Popen[bytes]) -> None:
    if process.returncode not in command.codes:
        raise RuntimeError(f"{command.words} exited {process.returncode}")


def measure(commands: Mapping[str, Command], rounds: int, floor: str = "floor") -> dict[str, Figure]:
    """Every command `rounds` times, in turn and beside the floor, after one run each that is not counted."""
    figures = {name: Figure() for name in commands}
    for command in commands.values():
        run_once(command, None)
    for turn in range(rounds):
        for name, command in commands.items():
            if turn < command.rounds:
                beside = Figure()
                run_once(commands[floor], beside)
                run_once(command, figures[name])
                figures[name].floors += beside.seconds
    for name, command in commands.items():
        figures[name].peak = peak_of(command)
    return figures


def floors_of(of: Figure) -> float:
    """The median of a command's runs in floors."""
    return statistics.median(of.ratios)


def ratio(of: Figure, to: Figure) -> float:
    """The median of the ratios of two commands, both in floors, round by round as far as both have them."""
    return statistics.median(a / b for a, b in zip(of.ratios, to.ratios, strict=False))
