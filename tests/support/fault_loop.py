"""The loop of every fault test in one process: each fault at each call, all that is wrong collected.

The everyday suite samples: each call meets every fourth fault, and the next call the faults beside those. So every
call meets at least one fault that applies to any call, and every fault is met by a quarter of the calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.support.faults import FAULTS, Fault, NotApplicable

EVERY = 4
#: What a test of all faults is parametrized by: the everyday sample, and all of them.
SAMPLED_AND_ALL = [pytest.param(EVERY, id="sampled"), pytest.param(1, id="all", marks=pytest.mark.slow)]


@dataclass(frozen=True)
class Strike:
    """One fault at one call."""

    fault: str
    effect: Fault
    at: int
    op: str

    def __str__(self) -> str:
        return f"call {self.at} ({self.op}) {self.fault}"


@dataclass
class Found:
    """How many faults struck, the calls that they struck, and what was wrong."""

    points: int = 0
    struck: set[int] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def strike_each(calls: list[str], meet: Callable[[Strike], list[str]], every: int = 1) -> Found:
    """Run `meet` for each fault at each call; it returns what is wrong, or raises NotApplicable."""
    found = Found()
    for number, (fault, effect) in enumerate(FAULTS.items()):
        for at, op in enumerate(calls):
            if (at + number) % every:
                continue
            strike = Strike(fault, effect, at, op)
            try:
                wrong = meet(strike)
            except NotApplicable:
                continue
            found.points += 1
            found.struck.add(at)
            found.wrong += [f"{strike}: {line}" for line in wrong]
    return found
