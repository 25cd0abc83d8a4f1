"""The code keeps the sizes that make it readable: small modules and short functions."""

from __future__ import annotations

import ast
import statistics

from tests.support.cli import ROOT

MODULES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "agentmail").rglob("*.py")}


def test_modules_are_small() -> None:
    lines = {path: text.count("\n") for path, text in MODULES.items()}
    assert {path.name: count for path, count in lines.items() if count > 250} == {}
    # A package's `__init__.py` of one line is no module to read.
    assert statistics.median(count for count in lines.values() if count > 10) <= 110


def test_functions_are_short() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for text in MODULES.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    )
    assert len(lengths) > 500
    assert lengths[int(len(lengths) * 0.95)] <= 25
