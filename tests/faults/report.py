"""Writes the page of the fault matrix: the layers that ran, when and where, and the result of each row."""

from __future__ import annotations

import datetime
import os
import platform

from tests.faults.matrix import GROUPS, node
from tests.faults.row import Row
from tests.faults.table import LAYERS, Table

PAGE = "docs/faults.md"

HEAD = """# Faults

What can go wrong, what stays true then, and the tests that show it. This page is written by a run:
`./dev faults --report {page}` ({date}, {system}, {cores} cores, Python {python}).

The promises, which a reader that is not the program judges after every fault:

1. `send` ended with 0: the message is there, byte for byte, at exactly one id, until retention removes it.
2. It ended otherwise: the message is there whole or not at all.
3. At no instant of archiving is the message in neither place.
4. Nothing that was there is replaced or cut.
5. `check` shows everything that waits, or ends with an error; never "no mail" for a box that could not be read.
6. Only the age rule removes archived messages.

## What was run

| layer | tests passed | failed | skipped | seconds | in CI | counted |
|---|---:|---:|---:|---:|---|---|
"""
NOTES = """
*Seconds* are added up over the processes that share the tests. *In CI*: `.ci/run` runs every test of the
repository that is not marked `full`, these among them, the layers 1 to 3 within ten minutes; `full` marks every further error at every
system call, the reading commands under strace, and loads by the thousand.

*Points* are system calls, or calls of the one module that makes them, at which a fault struck; *runs* are commands
that were run with one; *cuts* are power cuts: the shutdown request of ext4 and xfs, which leaves the journal
unflushed, on a file system in an image file, mounted again afterwards. *Control* cuts are made with one kind of sync
left out in the dying process: they have to show violations, and do. *Sends* and *archived* are acknowledged ones,
*in doubt* those whose process died before it could know. *Violations* break a promise.
"""
MARKS = {"passed": "holds", "failed": "**FAILS**", "skipped": "skipped here"}


def render(table: Table) -> str:
    """The page."""
    version = ".".join(platform.release().split(".")[:2]).split("-")[0]
    page = HEAD.format(
        page=PAGE,
        date=datetime.datetime.now(datetime.UTC).date(),
        system=f"{platform.system()} {version}{_distribution()}",
        cores=os.cpu_count(),
        python=platform.python_version(),
    )
    page += "".join(f"{line}\n" for line in _layers(table)) + NOTES
    page += "\nSkipped, because this machine cannot do it:"
    page += "\n" if table.skipped else " nothing.\n"
    page += "".join(f"\n- {number} × {why}" for why, number in sorted(table.skipped.items()))
    page += "\n" if table.skipped else ""
    for group, rows in GROUPS.items():
        page += f"\n## {group}\n\n| # | fault | what holds | result | shown by |\n|---:|---|---|---|---|\n"
        page += "".join(f"{_row(row, table)}\n" for row in rows)
    return page


def _layers(table: Table) -> list[str]:
    found = []
    for name in LAYERS:
        if name in table.rows:
            row = table.rows[name]
            counted = ", ".join(f"{number:,} {word}" for word, number in sorted(row.counts.items()))
            numbers = " | ".join(str(row.outcomes[word]) for word in ("passed", "failed", "skipped"))
            in_ci = f"{row.in_ci} tests, {row.seconds_in_ci:.0f} s"
            found.append(f"| {name} | {numbers} | {row.seconds:.0f} | {in_ci} | {counted} |")
    return found


def _row(row: Row, table: Table) -> str:
    shown = "<br>".join(f"`{node(test).removeprefix('tests/')}`" for test in row.tests)
    why = f"<br>{row.reason}" if row.reason and row.tests else row.reason
    return f"| {row.number} | {row.fault} | {row.holds} | {result(row, table)} | {shown}{why} |"


def result(row: Row, table: Table) -> str:
    """How a row came out: the worst of its tests, with how many passed."""
    if not row.tests:
        return "no test"
    outcomes = [
        outcome
        for test in row.tests
        for found, outcome in table.tests.items()
        if found == node(test) or found.startswith((f"{node(test)}[", f"{node(test)}::"))
    ]
    for outcome in ("failed", "skipped", "passed"):
        if outcome in outcomes:
            return f"{MARKS[outcome]} ({outcomes.count('passed')} tests)"
    return "not run"


def _distribution() -> str:
    try:
        return f", {platform.freedesktop_os_release()['PRETTY_NAME']}"
    except (OSError, KeyError):
        return ""
