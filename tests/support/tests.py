"""Tells whether a test exists, for pages that name tests."""

from __future__ import annotations

import ast

from tests.support.cli import ROOT


def is_there(node: str) -> bool:
    """Is there a test file, and with `file::function` that test in it?"""
    path, _, function = node.partition("::")
    if not (ROOT / path).is_file():
        return False
    found = ast.walk(ast.parse((ROOT / path).read_text()))
    return not function or function in {one.name for one in found if isinstance(one, ast.FunctionDef)}
