"""All layers of the fault suite, with a table at the end: `python -m tests.faults [--report FILE] [PYTEST WORDS...]`.

`--report` runs what the fault matrix points at as well, and writes the matrix with its results.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.faults.table import LAYERS, Table
from tests.support.cli import ROOT

PAGE_SHOWS_THE_ROWS = "tests/faults/test_matrix.py::test_the_page_shows_every_row"


def main(words: list[str]) -> int:
    """Run; returns pytest's exit code, with `--report` too."""
    report = Path(words.pop(1)).absolute() if words[:1] == ["--report"] else None
    del words[: 1 if report else 0]
    table = Table()
    targets = [path for files in LAYERS.values() for path in files if (ROOT / path).exists()]
    if report:
        from tests.faults.matrix import nodes

        targets += [node for node in nodes() if node.split("::")[0] not in targets]
        # The page that this run writes cannot show its own rows yet; CI compares the two once it is there.
        words = [*words, "--deselect", PAGE_SHOWS_THE_ROWS]
    code = pytest.main(["-m", "", "--rootdir", str(ROOT), *targets, *words], plugins=[table])
    print("\n".join(table.lines()))
    if report and code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        from tests.faults.report import render

        report.write_text(render(table))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
