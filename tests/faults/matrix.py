"""The fault matrix: faults, what holds after each, and the tests that show it, or the reason for having none."""

from __future__ import annotations

from tests.faults.matrix_of_failures import FAILURES
from tests.faults.matrix_of_surroundings import SURROUNDINGS
from tests.faults.row import Row

GROUPS = {**FAILURES, **SURROUNDINGS}


def rows() -> list[Row]:
    """All rows."""
    return [row for group in GROUPS.values() for row in group]


def node(name: str) -> str:
    """A test's pytest node id, without parameters."""
    return f"tests/faults/{name.removeprefix('here/')}" if name.startswith("here/") else f"tests/{name}"


def nodes() -> list[str]:
    """Everything that the rows point at."""
    return sorted({node(test) for row in rows() for test in row.tests})
