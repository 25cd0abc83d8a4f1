"""The document of a run: machine and date, each target with its figure and a mark, then every median."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path

from tests.bench import plots
from tests.bench.stages import STAGES
from tests.bench.targets import TARGETS, Measured, Target

HEAD = """# What a call costs

Written by `./dev bench` on {date}: {system}, {cores} cores, Python {python}, {rounds} interleaved rounds. Figures are
medians of whole processes, ratios medians pair by pair. The floor is the bare interpreter, `python3 -I -S -c pass`,
here {floor:.1f} ms. Peers are measured in the same run when they are on PATH: the `amq` binary of a release of
avivsinai/agent-message-queue, or `hcom` (`pip install hcom`). Here: {peers}.

| what | target | measured | |
|---|---:|---:|---|
"""
UNITS = {
    "deliveries/s": "durable deliveries in a second, one process",
    "bare/s": "the bare system calls of a delivery, in a second",
    "sends/s": "`send` as a command, in a second, one after the other",
    "sends/s, 8": "the same, eight at once",
    "parse us": "microseconds to read a message",
    "frontmatter us": "the same with python-frontmatter",
}
STAGES_HEAD = """## Where the time goes

Milliseconds, medians: the bare interpreter from start to end; `import os`, which starts no bare interpreter but every
program; our finder of modules; our modules; the work itself; its syncs, which the disk takes; and, for comparison, what
nothing but the system calls that list the inbox and open, look at, read and close each message take.
"""
WHY = """
## What is missed, and why

A plain call costs, beyond the bare interpreter, `import os`, some twenty-five modules of ours and its work. The first
is Python's own; the modules come from one file already, and most of what is left of them is reading their bytecode and
making their classes: fewer would mean rooms without walls. `send` also keeps the sender's copy, synced like the message.
The Python part of a hook further forks, so that a disk that hangs cannot hold the prompt longer than its deadline.
A list of thousands costs some five times its bare system calls: each header is held against the one form that every
YAML reader agrees on, against its name, the mailbox, the roster, the clock and the archive, and each value is made safe
to print. A thread or a search opens and expands every archived message, because there is no index that could be wrong.
Delivering in a process looks under its claim for the id in inbox, archive and sent; the bare system calls do not.
hcom is a compiled program over one database file: what it opens once, we open for each message.
"""


def document(measured: Measured, rounds: int) -> str:
    """The page."""
    head = HEAD.format(
        date=time.strftime("%Y-%m-%d"),
        system=f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        cores=os.cpu_count(),
        python=platform.python_version(),
        rounds=rounds,
        floor=measured.figures["floor"].median,
        peers="; ".join(measured.missing) or "all of them",
    )
    lines = [line(target, measured) for target in TARGETS]
    lines += [
        "",
        "![growth](growth.svg)",
        "",
        "| command | median ms | least ms | peak MiB |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {figure.median:.1f} | {min(figure.seconds) * 1000:.1f} | {figure.peak / 1024:.1f} |"
        for name, figure in measured.figures.items()
    ]
    lines += ["", "| inside of processes | |", "|---|---:|"]
    lines += [f"| {words} | {measured.inside[name]:,.0f} |" for name, words in UNITS.items()]
    lines += ["", STAGES_HEAD, f"| | {' | '.join(STAGES)} |", f"|---|{'---:|' * len(STAGES)}"]
    lines += [
        f"| {name} | {' | '.join(f'{found[stage]:.1f}' if stage in found else '' for stage in STAGES)} |"
        for name, found in measured.stages.items()
    ]
    return head + "\n".join(lines) + "\n" + WHY


def line(target: Target, measured: Measured) -> str:
    """One line of the table: the bound, the figure and whether it is met."""
    bound = f"{'≥' if target.least else '≤'} {target.bound:g} {target.unit}"
    value = target.figure(measured)
    if value is None:
        return f"| {target.what} | {bound} | | not measured |"
    mark = "met" if target.met(value) else "**missed**"
    return f"| {target.what} | {bound} | {value:.2f} {target.unit} | {mark} |"


def write(place: Path, text: str, measured: Measured) -> None:
    """The table, every run as JSON, and the growth as a picture."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "bench.md").write_text(text, encoding="utf-8")
    machine = {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "missing": measured.missing,
    }
    processes = {
        name: {"seconds": [round(second, 6) for second in figure.seconds], "peak_kib": figure.peak}
        for name, figure in measured.figures.items()
    }
    data = {
        "machine": machine,
        "inside": dict(measured.inside),
        "stages": dict(measured.stages),
        "processes": processes,
    }
    (place / "bench.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    (place / "growth.svg").write_text(plots.growth(measured.figures), encoding="utf-8")
