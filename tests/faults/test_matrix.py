"""Every row of the fault matrix names existing tests, or a reason; the page shows these rows."""

from __future__ import annotations

import pytest

from tests.faults.matrix import node, rows
from tests.faults.report import PAGE
from tests.faults.row import Row
from tests.support.cli import ROOT
from tests.support.tests import is_there


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row.number))
def test_a_row_names_existing_tests_or_a_reason(row: Row) -> None:
    assert row.tests or row.reason
    assert [test for test in row.tests if not is_there(node(test))] == []


def test_the_rows_are_numbered() -> None:
    assert [row.number for row in rows()] == list(range(1, len(rows()) + 1))


def test_the_page_shows_every_row() -> None:
    path = ROOT / PAGE
    assert path.is_file(), f"make it: python -m tests.faults --report {PAGE}"
    page = path.read_text()
    missing = [row.number for row in rows() if f"| {row.number} | {row.fault} | {row.holds}" not in page]
    assert missing == [], f"make it again: python -m tests.faults --report {PAGE}"
