"""The table and the page report failures and skipped tests too."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.faults.__main__ import PAGE_SHOWS_THE_ROWS
from tests.faults.matrix import node, rows
from tests.faults.report import render, result
from tests.faults.row import CUTS, KILLED, Row
from tests.faults.table import Table
from tests.support.cli import ROOT


def reported(
    table: Table,
    test: str,
    outcome: Literal["passed", "failed", "skipped"],
    *keywords: str,
    why: str = "",
    counts: tuple[tuple[str, object], ...] = (),
) -> None:
    """One test, as pytest reports it."""
    whens: tuple[Literal["call", "teardown"], ...] = ("call", "teardown")
    for when in whens:
        table.pytest_runtest_logreport(
            pytest.TestReport(
                test,
                ("", 0, ""),
                dict.fromkeys(keywords, 1),
                outcome if when == "call" else "passed",
                ("", 0, f"Skipped: {why}") if why and when == "call" else None,
                when,
                duration=1.5,
                user_properties=list(counts),
            )
        )


@pytest.fixture
def table() -> Table:
    table = Table()
    reported(table, f"{node(KILLED)}[send]", "passed", counts=(("points", 40), ("violations", 0)))
    reported(table, f"{node(KILLED)}[doctor]", "failed", "full", counts=(("points", 2), ("violations", 1)))
    reported(
        table, f"{node(CUTS)}::test_a_missing_sync_is_detected[ext4]", "skipped", why="may not mount here"
    )
    return table


def test_a_layer_is_added_up_with_the_part_that_ci_runs(table: Table) -> None:
    line = next(line for line in render(table).splitlines() if "under strace" in line)
    assert line.endswith("| 1 | 1 | 0 | 6 | 1 tests, 3 s | 42 points, 1 violations |")


def test_skipped_tests_are_counted_by_reason(table: Table) -> None:
    assert "skipped 1: may not mount here" in table.lines()
    assert "- 1 × may not mount here\n" in render(table)
    assert "cannot do it: nothing." in render(Table())


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ((KILLED,), "**FAILS** (1 tests)"),
        ((CUTS,), "skipped here (0 tests)"),
        (("laws/test_oldest_first.py",), "not run"),
        ((), "no test"),
    ],
)
def test_a_row_is_as_good_as_the_worst_of_its_tests(table: Table, tests: tuple[str, ...], said: str) -> None:
    assert result(Row(1, "fault", "what holds", tests), table) == said


def test_the_page_has_every_row(table: Table) -> None:
    page = render(table)
    assert [row.number for row in rows() if f"| {row.number} | {row.fault} |" not in page] == []


def test_the_test_that_a_report_leaves_out_exists() -> None:
    path, _, name = PAGE_SHOWS_THE_ROWS.partition("::")
    assert f"def {name}(" in Path(ROOT / path).read_text()
