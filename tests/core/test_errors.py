"""Errors are one line with the next step, and several outcomes have one exit code."""

from __future__ import annotations

import pytest

from agentmail.core import errors
from agentmail.core.errors import AgentMailError, Refused, worst_of


@pytest.mark.parametrize(
    "codes, code",
    [
        ([], 0),
        ([0, 0], 0),
        ([4], 4),
        ([0, 4], 4),
        ([75], 75),
        ([75, 75], 75),
        ([0, 75], 1),
        ([0, 1], 1),
        ([1, 75], 1),
        ([4, 75], 1),
        ([2, 2], 2),
    ],
)
def test_several_outcomes_have_one_code(codes: list[int], code: int) -> None:
    assert worst_of(codes) == code


def test_an_error_says_what_happened_what_is_true_and_what_to_do() -> None:
    assert str(Refused("what", "now", "next", id="x")) == "what; now; next"
    assert str(Refused("what", "", "next")) == "what; next"
    assert Refused("what", "now", "next", id="x").details == {"id": "x"}


def test_every_class_has_a_code_and_a_word_of_its_own() -> None:
    classes = [
        one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, AgentMailError)
    ]
    assert {one.__name__: one.exit_code for one in classes if one is not AgentMailError} == {
        "NotFound": 1,
        "SomeFailed": 1,
        "Refused": 2,
        "UnknownIdentity": 3,
        "UnknownThread": 3,
        "Unconfirmed": 4,
        "TryAgain": 75,
    }
    assert len({one.word for one in classes}) == len(classes)
