"""Measure everything and print a table; with --out write table, JSON and the plot of growth.

python -m tests.bench [--rounds 20] [--out docs/bench]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench import cases
from tests.bench.insides import measure_inside
from tests.bench.measure import measure
from tests.bench.peers import add_peers
from tests.bench.report import document, write
from tests.bench.stages import stages
from tests.bench.targets import Measured


def main() -> int:
    """Run it; 0 whether targets are met or not: this is a measurement, the table says the rest."""
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="What a call costs, to floors and peers."
    )
    parser.add_argument("--rounds", type=int, default=20, help="interleaved runs of each command")
    parser.add_argument("--out", type=Path, help="a directory for bench.md, bench.json and the plot")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentmail-bench-") as place:
        gathered = cases.Cases(Path(place))
        for gather in (
            cases.core,
            cases.reading,
            cases.options,
            cases.forms,
            cases.hooks,
            cases.conversation,
            cases.memory,
        ):
            gather(gathered)
        missing = add_peers(gathered)
        figures = measure(gathered.commands, options.rounds)
        measured = Measured(figures, measure_inside(gathered), stages(gathered), missing)
    text = document(measured, options.rounds)
    print(text)
    if options.out:
        write(options.out, text, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
