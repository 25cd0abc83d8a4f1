"""Measure everything, print a table, and with --out write table, JSON and plots.

python -m tests.bench [--rounds 20] [--quick] [--out docs/bench]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import buses, cases, plots
from tests.bench.measure import Figure, measure
from tests.bench.targets import TARGETS

INSIDE = 300
PROCESSES = 8


def main() -> int:
    """Run it; 0 whether targets are met or not: this is a measurement, the table says the rest."""
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="What a call costs, to floors and peers."
    )
    parser.add_argument("--rounds", type=int, default=20, help="interleaved runs of each command")
    parser.add_argument("--out", type=Path, help="a directory for bench.md, bench.json and the plots")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentmail-bench-") as place:
        gathered = cases.Cases(Path(place))
        for gather in (cases.core, cases.hooks, cases.conversation, cases.memory):
            gather(gathered)
        missing = cases.peers(gathered)
        figures = measure(gathered.commands, options.rounds)
        inside = measure_inside(Path(place))
    document = report(figures, inside, missing, options.rounds)
    print(document)
    if options.out:
        write(options.out, document, figures, inside)
    return 0


def measure_inside(place: Path) -> dict[str, float]:
    """Deliveries in a second beside bare system calls, alone and eight at once, and the latency of a wait."""
    alone: dict[str, list[float]] = {"deliver": [], "bare": []}
    for turn in range(5):
        for kind, found in alone.items():
            bus = buses.bus(place / f"inside-{kind}-{turn}")
            found.append(float(_inside(kind, bus).communicate()[0]))
    bus = buses.bus(place / "inside-many")
    many = [_inside("deliver", bus) for _ in range(PROCESSES)]
    together = sum(float(one.communicate()[0]) for one in many)
    waits = sorted(
        float(line) for line in _inside("wait", buses.bus(place / "inside-wait")).communicate()[0].split()
    )
    deliver = statistics.median(alone["deliver"])
    return {
        "deliveries/s": deliver,
        "bare/s": statistics.median(alone["bare"]),
        "to bare": statistics.median(a / b for a, b in zip(alone["deliver"], alone["bare"], strict=True)),
        "eight to one": together / deliver,
        "wait p50 ms": statistics.median(waits) * 1000,
        "wait p99 ms": waits[int(len(waits) * 0.99)] * 1000,
    }


def _inside(kind: str, bus: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench.inside", kind, str(bus), str(INSIDE)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=cases.ROOT,
    )


INSIDE_TARGETS = (
    ("durable deliveries in a process, to the bare system calls", "to bare", 0.9, True, "x"),
    ("eight processes delivering, to one", "eight to one", 2.0, True, "x"),
    ("wait, from link to return, p50", "wait p50 ms", 2.0, False, "ms"),
    ("wait, from link to return, p99", "wait p99 ms", 10.0, False, "ms"),
)


def report(figures: dict[str, Figure], inside: dict[str, float], missing: list[str], rounds: int) -> str:
    """The document: machine and date, each target with its figure and a mark, then every median."""
    where = (
        f"Written by `./dev bench` on {time.strftime('%Y-%m-%d')}: {platform.system()} {platform.release()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {rounds} interleaved rounds; medians of "
        "whole processes, ratios pair by pair. The floor is the bare interpreter, `python3 -I -S -c pass`."
    )
    beside = (
        f"Peers not on PATH, so not measured: {', '.join(missing) or 'none'}. Put the `amq` or `hcom` binary on "
        "PATH to have it measured in the same run."
    )
    lines = [
        "# What a call costs",
        "",
        where,
        "",
        beside,
        "",
        "| what | target | measured | |",
        "|---|---:|---:|---|",
    ]
    for target in TARGETS:
        value = target.figure(figures)
        mark = "met" if target.met(value) else "**missed**"
        lines.append(
            f"| {target.what} | ≤ {target.bound:g} {target.unit} | {value:.2f} {target.unit} | {mark} |"
        )
    for what, name, bound, least, unit in INSIDE_TARGETS:
        value = inside[name]
        mark = "met" if (value >= bound if least else value <= bound) else "**missed**"
        lines.append(f"| {what} | {'≥' if least else '≤'} {bound:g} {unit} | {value:.2f} {unit} | {mark} |")
    lines += ["", "| command | median ms | least ms | peak MiB |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {figure.median:.1f} | {min(figure.seconds) * 1000:.1f} | {figure.peak / 1024:.1f} |"
        for name, figure in figures.items()
    ]
    lines += [
        "",
        f"In one process: {inside['deliveries/s']:.0f} durable deliveries in a second; the bare system ",
    ]
    lines[-1] += f"calls {inside['bare/s']:.0f}."
    return "\n".join(lines) + "\n"


def write(place: Path, document: str, figures: dict[str, Figure], inside: dict[str, float]) -> None:
    """The table, every run as JSON, and the growth as a picture."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "bench.md").write_text(document, encoding="utf-8")
    runs = {name: {"seconds": figure.seconds, "peak_kib": figure.peak} for name, figure in figures.items()}
    machine = {
        "system": platform.platform(),
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }
    data = {"machine": machine, "processes": runs, "inside": inside}
    (place / "bench.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    (place / "growth.svg").write_text(plots.growth(figures), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
