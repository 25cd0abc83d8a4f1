"""Prints what a run left out, by marker, and what it skipped, by reason; a pytest plugin."""

from __future__ import annotations

from collections import Counter

import pytest

#: How to run the tests of a marker. The first marker that a test has is the one that it is counted under.
COMMANDS = {
    "full": "./dev test -m full",
    "slow": "./dev check (all but full) or ./dev test -m slow",
}
OTHERS = "not selected"


class Summary:
    """Counts in the process that collects, and prints in the one that the terminal belongs to.

    Why `workeroutput`: with pytest-xdist the workers collect, and each of them collects every test. Their counts
    are equal, so the largest is taken and nothing is added up.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.left_out: Counter[str] = Counter()

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count tests that a marker expression, or `-k`, leaves out."""
        self.left_out.update(marker_of(item) for item in items)

    def pytest_sessionfinish(self) -> None:
        """Hand the counts of a worker to the process that started it."""
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["left_out"] = dict(self.left_out)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Take the counts of a worker; one that crashed has none."""
        self.left_out |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print both lists; pytest's own closing line follows."""
        skipped = Counter(reason_of(report) for report in terminalreporter.stats.get("skipped", []))
        for line in lines(self.left_out, skipped):
            terminalreporter.write_line(line)


def marker_of(item: pytest.Item) -> str:
    """The marker that explains why a test was left out."""
    return next((name for name in COMMANDS if item.get_closest_marker(name)), OTHERS)


def reason_of(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    told = report.longrepr
    return str(told[2]).removeprefix("Skipped: ") if isinstance(told, tuple) else str(told)


def lines(left_out: Counter[str], skipped: Counter[str]) -> list[str]:
    """The summary as text."""
    found = [""] if left_out or skipped else []
    for name in (*COMMANDS, OTHERS):
        if left_out[name]:
            how = f"; to run them: {COMMANDS[name]}" if name in COMMANDS else " by -k or -m"
            found.append(f"left out: {left_out[name]} {name}{how}")
    return found + [f"skipped: {number} because: {reason}" for reason, number in skipped.most_common()]
