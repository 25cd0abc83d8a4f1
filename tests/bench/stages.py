"""Where the time of a call goes: stage by stage, in the process itself, medians of several runs."""

from __future__ import annotations

import ast
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import buses
from tests.bench.cases import BODY, FLOOR, PYTHON, SIZES, Cases
from tests.bench.measure import Command, Figure, run_once

RUNS = 15
STAGES = ("interpreter", "modules", "work", "syncs", "reading")
#: What the launcher does, with a look at the clock between its steps, and with syncs and reads of files timed.
SCRIPT = """
import gc, sys, time
gc.set_threshold(20_000)
clock = time.perf_counter
at = [clock()]
root, modules, words = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
sys.path.insert(0, root)
for name in modules:
    __import__(name)
at.append(clock())
spent = {"fsync": 0.0}
from agentmail.core import system
sync = system.fsync
def timed(fd):
    started = clock()
    try:
        return sync(fd)
    finally:
        spent["fsync"] += clock() - started
system.fsync = timed
from agentmail.cli.main import main
code = main(words)
at.append(clock())
steps = [b - a for a, b in zip(at, at[1:])]
loaded = [name for name in sys.modules if name.startswith("agentmail.")]
system.write(2, repr((code, steps, spent["fsync"], loaded)).encode())
system.exit_at_once(code)
"""


def stages(cases: Cases) -> dict[str, dict[str, float]]:
    """For each command the milliseconds of each stage; `reading` is what the bare system calls of its reading take."""
    numbers = iter(range(10**6))
    floor = Figure()
    for _ in range(RUNS):
        run_once(Command(FLOOR), floor)
    found = {}
    some, many = cases.bus(SIZES[0]), cases.bus(SIZES[-1])
    for name, bus, words, more in (
        ("send", cases.bus(), ["send", "alpha", "beta"], lambda: [f"n{next(numbers)}"]),
        (f"check {SIZES[0]}", some, ["check", "beta"], list),
        (f"check {SIZES[-1]}", many, ["check", "beta"], list),
    ):
        found[name] = {"interpreter": floor.median, **_stages_of(cases, bus, words, more)}
    found[f"check {SIZES[-1]}"]["reading"] = _reading(many / "beta" / "inbox")
    return found


def _stages_of(
    cases: Cases, bus: Path, words: list[str], more: Callable[[], Sequence[str]]
) -> dict[str, float]:
    _, _, _, loaded = _run(cases, bus, [], [*words, *more()])
    runs = [_run(cases, bus, loaded, [*words, *more()]) for _ in range(RUNS)]
    steps = [statistics.median(times) * 1000 for times in zip(*(run[1] for run in runs), strict=True)]
    syncs = statistics.median(run[2] for run in runs) * 1000
    return dict(zip(STAGES[1:], (steps[0], steps[1] - syncs, syncs), strict=False))


def _run(
    cases: Cases, bus: Path, modules: list[str], words: list[str]
) -> tuple[int, list[float], float, list[str]]:
    done = subprocess.run(
        [
            cases.python,
            "-I",
            "-S",
            "-X",
            "utf8",
            "-c",
            SCRIPT,
            str(cases.hooks.parents[1]),
            " ".join(modules),
            *words,
        ],
        input=BODY if words[0] == "send" else b"",
        capture_output=True,
        env=cases.environment(bus),
        cwd=buses.workdir(bus, "alpha" if words[0] == "send" else "beta"),
        check=True,
    )
    found: tuple[int, list[float], float, list[str]] = ast.literal_eval(done.stderr.decode().splitlines()[-1])
    return found


def _reading(inbox: Path) -> float:
    """Milliseconds that listing a directory and opening, looking at, reading and closing each file take by themselves."""
    script = (
        "import os, sys, time\n"
        "at = time.perf_counter()\n"
        "folder = os.open(sys.argv[1], os.O_RDONLY)\n"
        "for name in os.listdir(folder):\n"
        "    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)\n"
        "    os.read(fd, os.fstat(fd).st_size)\n"
        "    os.close(fd)\n"
        "print(time.perf_counter() - at)"
    )
    words = [PYTHON, "-I", "-S", "-c", script, str(inbox)]
    runs = [float(subprocess.run(words, capture_output=True, check=True).stdout) for _ in range(RUNS)]
    return statistics.median(runs) * 1000
