"""The README quotes the bench: every figure is one of the last committed run."""

from __future__ import annotations

import re

from tests.support.cli import ROOT

BENCH = "docs/bench/bench.md"
#: What the README says before a figure, and the row that the figure comes from.
QUOTED = {
    "a prompt without news": "prompt hook, due, nothing changed, 10,000 waiting",
    "`send`": "send 1 KB, durable",
    "`check` of ten": "check 10",
    "`archive`": "archive one of 10",
    "a thread of 10,000 handled messages": "thread over 10,000 archived",
    "100,000 of them": "archive one of 10,000 beside 100,000, to one of 10",
}


def test_the_readme_quotes_the_figures_of_the_committed_run() -> None:
    bench = (ROOT / BENCH).read_text()
    rows = [line.split("|") for line in bench.splitlines() if line.startswith("|")]
    measured = {row[1].strip(): row[3].split()[0] for row in rows if len(row) > 4 and row[3].split()}
    said = " ".join((ROOT / "README.md").read_text().split("## What it costs\n")[1].split("\n## ")[0].split())
    for words, row in QUOTED.items():
        assert f"{words} {measured[row]}" in said, row
    (where,) = re.findall(r"on (\d{4}-\d\d-\d\d): (Linux [\d.]+, \d+ cores, Python [\d.]+)", bench)
    assert f"on {where[0]} ({where[1]})" in said
    assert f"({BENCH})" in said
