"""The document of a run: machine and date, each target with its figure and a mark, then every median."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench import plots
from tests.bench.stages import STAGES
from tests.bench.targets import TARGETS, Measured, Target

HEAD = """# What a call costs

Written by `./dev bench` on {date}: {system}, {cores} cores, Python {python}, {rounds} interleaved rounds. Figures are
medians of whole processes. Each run has a run of the floor right before it, and a ratio is the median of such pairs.
The command is the one that pip installs from the wheel into an environment, where a row does not say otherwise. The floor is the bare interpreter, `python3 -I -S -c pass`,
here {floor:.1f} ms. Peers are measured in the same run when they are on PATH; [peers.md](peers.md) says how, and what is compared. Here: {peers}.

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

Milliseconds, medians: the bare interpreter from start to end; our modules; the work itself; its
syncs, which the disk takes; and, for comparison, the bare system calls that list the inbox and open, examine, read and
close each message. The shell of the launcher comes on top.
"""
WHY = """
## What is missed, and why

A plain call costs, beyond the bare interpreter, the shell of the launcher, some twenty-five modules of ours and its
work; the stages above divide it. Each module costs about the same, however small it is. `send` and `reply` load
the most modules, and keep the sender's copy, synced like the message.
A prompt without news is one shell that starts no other program: the row `sh -c :` is nearly all of its cost.
The Python part of a hook further forks, so that a disk that hangs cannot hold the prompt longer than its deadline.
A list of thousands costs some five times its bare system calls: each header is held against the one form that every
YAML reader agrees on, against its name, the mailbox, the roster, the clock and the archive, and each value is made safe
to print. With an index a list looks at each file and reads none. It still starts the database, whose module imports
`functools` and `collections`: a third of the floor, which a list of 1,000 does not earn back against a compiled program.
A view with an index reads the files that it shows. A snapshot of 100,000 writes 45 MB: most of it is copying this text out
of the database, and a sum for each of 10,000 threads.
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
        peers="; ".join(measured.missing) or "both",
    )
    lines = [line(target, measured) for target in TARGETS]
    lines += [
        "",
        *(f"![{file.removesuffix('.svg')}]({file})" for file in plots.PICTURES),
        "",
        "| command | median ms | least ms | peak MiB |",
        "|---|---:|---:|---:|",
    ]
    lines += _rows(_commands(measured), ".1f")
    lines += ["", "| inside of processes | |", "|---|---:|", *_rows(_inside(measured), ",.0f")]
    lines += ["", STAGES_HEAD, f"| | {' | '.join(STAGES)} |", f"|---|{'---:|' * len(STAGES)}"]
    lines += _rows(
        {name: {one: found.get(one) for one in STAGES} for name, found in measured.stages.items()}, ".1f"
    )
    return head + "\n".join(lines) + "\n" + WHY


Table = Mapping[str, Mapping[str, float | None]]


def tables(measured: Measured) -> dict[str, Table]:
    """Every figure of the page by table, row and column: what README and docs quote, and what a reader compares."""
    return {
        "targets": {
            one.what: {"target": one.bound, "measured": _rounded(one.figure(measured))} for one in TARGETS
        },
        "commands": _commands(measured),
        "inside": _inside(measured),
        "stages": {name: dict(found) for name, found in measured.stages.items()},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _commands(measured: Measured) -> Table:
    return {
        name: {
            "median ms": round(figure.median, 1),
            "least ms": round(min(figure.seconds) * 1000, 1),
            "peak MiB": round(figure.peak / 1024, 1),
        }
        for name, figure in measured.figures.items()
    }


def _inside(measured: Measured) -> Table:
    return {words: {"": measured.inside[name]} for name, words in UNITS.items()}


def _rows(table: Table, form: str) -> list[str]:
    return [
        f"| {name} | {' | '.join('' if value is None else format(value, form) for value in row.values())} |"
        for name, row in table.items()
    ]


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
        "tables": tables(measured),
        "inside": dict(measured.inside),
        "stages": dict(measured.stages),
        "processes": processes,
    }
    (place / "bench.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    for file, series in plots.PICTURES.items():
        (place / file).write_text(plots.growth(measured.figures, series), encoding="utf-8")
