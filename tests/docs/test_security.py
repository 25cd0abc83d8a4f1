"""Every claim of SECURITY.md names tests that exist."""

from __future__ import annotations

import re

from tests.support.cli import ROOT
from tests.support.tests import is_there

TESTS = re.compile(r"`(tests/[^`]+)`")


def claims() -> dict[str, list[str]]:
    """The tests of each row under `What shows it`, by claim."""
    table = (ROOT / "SECURITY.md").read_text().split("## What shows it")[1].split("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("|")]
    return {claim.strip(): TESTS.findall(tests) for _, claim, tests, _ in rows[2:]}


def test_every_claim_names_tests() -> None:
    assert len(claims()) > 15
    assert [claim for claim, tests in claims().items() if not tests] == []


def test_the_named_tests_exist() -> None:
    assert [test for tests in claims().values() for test in tests if not is_there(test)] == []
