"""README and docs quote the bench: every figure is one of the last committed run, by table, row and column."""

from __future__ import annotations

import re
from collections import Counter

from tests.bench.targets import TARGETS
from tests.support.cli import ROOT

BENCH = "docs/bench/bench.md"
#: A table is known by the first cells of its head.
TARGETS_TABLE = ("what", "target", "measured")
#: The words before a figure in the README, and where the figure comes from: a table, its row, column and unit.
QUOTED = {
    "a prompt without news": (
        TARGETS_TABLE,
        "prompt hook, due, nothing changed, 10,000 waiting",
        "measured",
        "x floor",
    ),
    "`send`": (TARGETS_TABLE, "send 1 KB, durable", "measured", "x floor"),
    "`check` of ten": (TARGETS_TABLE, "check 10", "measured", "x floor"),
    "`archive`": (TARGETS_TABLE, "archive one of 10", "measured", "x floor"),
    "a thread of 10,000 handled messages": (
        TARGETS_TABLE,
        "thread over 10,000 archived",
        "measured",
        "x floor",
    ),
    "Archiving beside 100,000 of them": (
        TARGETS_TABLE,
        "archive one of 10,000 beside 100,000, to one of 10",
        "measured",
        "x",
    ),
}
FIGURE = re.compile(r"\d+\.\d+")
#: A figure in prose that only a measurement can know.
MEASURED = re.compile(r"\d+(?:\.\d+)? ?(?:ms|milliseconds|microseconds|floors?|x floor|MiB)\b")

Row = dict[str, str]


def tables() -> dict[tuple[str, ...], list[tuple[str, Row]]]:
    """The tables of the page: by the head's cells, the rows in order, each with its cells by column."""
    found: dict[tuple[str, ...], list[tuple[str, Row]]] = {}
    head: tuple[str, ...] = ()
    for line in (ROOT / BENCH).read_text().splitlines():
        if not line.startswith("|"):
            head = ()
            continue
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if not head:
            head = cells
            found[tuple(cell for cell in head if cell)] = []
        elif not set(line) <= set("|-:"):
            found[tuple(cell for cell in head if cell)].append(
                (cells[0], dict(zip(head, cells, strict=True)))
            )
    return found


def measured(table: tuple[str, ...], row: str, column: str, unit: str) -> str:
    """The number of one cell; the row has to be the only one of its name and unit in that table."""
    cells = [cells[column].split(" ", 1) for name, cells in tables()[table] if name == row]
    (number,) = [cell[0] for cell in cells if cell[1:] == [unit]]
    return number


def costs() -> str:
    """The README's section about costs, on one line."""
    return " ".join((ROOT / "README.md").read_text().split("## What it costs\n")[1].split("\n## ")[0].split())


def test_the_readme_quotes_the_figures_of_the_committed_run_and_no_others() -> None:
    said = costs()
    for words, cell in QUOTED.items():
        quoted = f"{words} {measured(*cell)}"
        assert quoted in said, cell
        said = said.replace(quoted, "")
    (where,) = re.findall(
        r"on (\d{4}-\d\d-\d\d): (Linux [\d.]+, \d+ cores, Python [\d.]+)", (ROOT / BENCH).read_text()
    )
    quoted = f"on {where[0]} ({where[1]})"
    assert quoted in said
    assert f"({BENCH})" in said
    assert FIGURE.findall(said.replace(quoted, "").replace("(1.0 = ", "")) == []


def test_no_other_page_has_a_measured_figure() -> None:
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        text = page.read_text()
        assert MEASURED.findall(text) == [], page.name


def test_the_name_of_a_target_is_the_name_of_one_row() -> None:
    assert [name for name, count in Counter(one.what for one in TARGETS).items() if count > 1] == []
