"""Adds up the counts of the fault tests, one row a layer; a pytest plugin of `python -m tests.faults`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest

#: The layers, cheapest first, and the files that hold them.
LAYERS = {
    "1 in-process faults at every call": (
        "tests/laws/test_every_fault_at_every_call.py",
        "tests/faults/test_in_process.py",
        "tests/faults/test_hooks_in_process.py",
        "tests/hosts/test_wire_meanwhile.py",
    ),
    "2 the real command under strace": (
        "tests/faults/test_system_calls.py",
        "tests/faults/test_dying_hooks.py",
    ),
    "3 power cuts before every step": ("tests/faults/test_power_cuts.py",),
    "4 load with random kill -9": ("tests/faults/test_kills_under_load.py",),
    "5 power cuts under load": ("tests/faults/test_power_cuts_under_load.py",),
    "6 every file system": ("tests/faults/test_file_systems.py",),
    "the judges and the matrix": (
        "tests/faults/test_judges.py",
        "tests/faults/test_matrix.py",
        "tests/faults/test_report.py",
    ),
}
OTHERS = "elsewhere, for the matrix"


@dataclass
class Row:
    """One layer's results."""

    outcomes: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    #: The tests that CI runs: those without the mark `full`; and their seconds.
    in_ci: int = 0
    seconds_in_ci: float = 0.0


@dataclass
class Table:
    """A pytest plugin that collects results by layer and by test, and why tests were skipped."""

    rows: dict[str, Row] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one report of the three that a test has; the last one bears what it counted."""
        row = self.rows.setdefault(layer_of(report.nodeid), Row())
        in_ci = "full" not in report.keywords
        row.seconds += report.duration
        row.seconds_in_ci += report.duration * in_ci
        if report.when == "call" or report.outcome != "passed":
            row.outcomes[report.outcome] += 1
            row.in_ci += in_ci
            if self.tests.get(report.nodeid) != "failed":
                self.tests[report.nodeid] = report.outcome
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            self.skipped[str(report.longrepr[2]).removeprefix("Skipped: ")] += 1
        if report.when == "teardown":
            row.counts.update({str(word): int(str(number)) for word, number in report.user_properties})

    def lines(self) -> list[str]:
        """The table as text, one line a layer, then the skips."""
        found = []
        for name in (*LAYERS, OTHERS):
            if name not in self.rows:
                continue
            row = self.rows[name]
            sums = ", ".join(f"{number} {word}" for word, number in sorted(row.counts.items()))
            found.append(
                f"{name:36} {row.outcomes['passed']:4} passed {row.outcomes['failed']:3} failed "
                f"{row.outcomes['skipped']:3} skipped {row.seconds:7.0f} s  {sums}"
            )
        found += [f"skipped {number}: {why}" for why, number in sorted(self.skipped.items())]
        return found


def layer_of(nodeid: str) -> str:
    """The layer that a test belongs to."""
    path = nodeid.split("::", 1)[0]
    return next((name for name, files in LAYERS.items() if path in files), OTHERS)
