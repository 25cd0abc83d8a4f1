"""What whole processes in turn do not show: throughput alone and eight at once, latency and memory of a wait, parsing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.bench import buses
from tests.bench.cases import BODY, Cases
from tests.bench.programs import ROOT

COUNT = 300
PROCESSES = 8
SENDS = 40


def measure_inside(cases: Cases) -> dict[str, float]:
    """Every figure by its name."""
    place = cases.place
    alone: dict[str, list[float]] = {"deliver": [], "bare": []}
    for turn in range(5):
        for kind in alone:
            alone[kind] += _numbers(_start(kind, buses.bus(place / f"inside-{kind}-{turn}")))
    bus = buses.bus(place / "inside-many")
    many = [_start("deliver", bus) for _ in range(PROCESSES)]
    together = sum(_numbers(one)[0] for one in many)
    waits = sorted(_numbers(_start("wait", buses.bus(place / "inside-wait"))))
    ours, theirs = _numbers(_start("parse", place))
    deliver = statistics.median(alone["deliver"])
    return {
        "deliveries/s": deliver,
        "bare/s": statistics.median(alone["bare"]),
        "to bare": statistics.median(a / b for a, b in zip(alone["deliver"], alone["bare"], strict=True)),
        "eight to one": together / deliver,
        "wait p50 ms": statistics.median(waits) * 1000,
        "wait p99 ms": waits[int(len(waits) * 0.99)] * 1000,
        "wait MiB": _memory_of_wait(cases),
        "sends/s": _sends(cases, 1),
        "sends/s, 8": _sends(cases, PROCESSES),
        "parse us": ours,
        "frontmatter us": theirs,
    }


def _start(kind: str, bus: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tests.bench.inside", kind, str(bus), str(COUNT)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _numbers(process: subprocess.Popen[str]) -> list[float]:
    found = [float(word) for word in process.communicate()[0].split()]
    if process.returncode or not found:
        raise RuntimeError(f"{process.args!r} exited {process.returncode}")
    return found


def _sends(cases: Cases, processes: int) -> float:
    """Commands in a second: each of so many shells sends one after the other."""
    bus = cases.bus()
    body = cases.place / "body"
    body.write_bytes(BODY)
    loop = 'i=0; while [ $i -lt "$2" ]; do "$0" send alpha beta "p$1-$i" x <"$3" >/dev/null || exit; i=$((i + 1)); done'
    started = time.perf_counter()
    shells = [
        subprocess.Popen(
            ["sh", "-c", loop, cases.agentmail, str(number), str(SENDS), str(body)],
            env=cases.environment(bus),
            cwd=buses.workdir(bus, "alpha"),
        )
        for number in range(processes)
    ]
    codes = [shell.wait() for shell in shells]
    if any(codes):
        raise RuntimeError("a send failed")
    return processes * SENDS / (time.perf_counter() - started)


def _memory_of_wait(cases: Cases) -> float:
    """Peak MiB of a `wait` that the kernel notifies of a message: it is sent when the wait has its watch."""
    bus = cases.bus()
    waiting = subprocess.Popen(
        [cases.agentmail, "wait", "beta"], env=cases.environment(bus), stdout=subprocess.DEVNULL
    )
    # The launcher becomes the program, so the number of the process stays.
    folder = Path(f"/proc/{waiting.pid}/fdinfo")
    while not any("inotify wd:" in _text(one) for one in folder.iterdir()):
        time.sleep(0.01)
    subprocess.run(
        [cases.agentmail, "send", "alpha", "beta", "late", "subject"],
        env=cases.environment(bus),
        check=True,
        input=b"",
    )
    _, status, usage = os.wait4(waiting.pid, 0)
    waiting.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1024


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""  # closed since the listing
