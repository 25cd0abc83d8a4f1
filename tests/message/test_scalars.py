"""One value of a header: bare where every YAML reader agrees, else in double quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.message import is_time
from agentmail.message.scalar import double_quoted, unquoted, written


@pytest.mark.parametrize(
    "value, text",
    [
        ("plain words", "plain words"),
        ("20260704-0930-alpha-x", "20260704-0930-alpha-x"),
        ("2026-07-04T09:30:12.345678Z", "2026-07-04T09:30:12.345678Z"),
        ("Größe 标准", "Größe 标准"),
        ("no", '"no"'),
        ("Null", '"Null"'),
        ("12:30", '"12:30"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("ends:", '"ends:"'),
        ("- x", '"- x"'),
        ('say "hi" \\', 'say "hi" \\'),
        ('"hi" \\', '"\\"hi\\" \\\\"'),
        (" padded ", '" padded "'),
        ("a\u202eb", '"a\\u202eb"'),
        ("a\U000e0041", '"a\\U000e0041"'),
        ("a\u00a0b", '"a\\u00a0b"'),
    ],
)
def test_how_a_value_is_written(value: str, text: str) -> None:
    assert written(value) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_quotes_are_taken_off_again(value: str) -> None:
    assert unquoted(double_quoted(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        *('"', '"a', '"a" b', '"a"b"', '"\\n"', '"\\u12"', '"\\uD800"', '"\\U00110000"', '"\\u0041"', '"\\'),
        *('"a\u202eb"', '"\\x41"', '"\\uZZZZ"', '"\\U0000004"', '"\\'),
    ],
)
def test_what_we_would_not_have_written_is_left_to_the_general_reader(text: str) -> None:
    assert unquoted(text) is None


@pytest.mark.parametrize(
    "value, answer",
    [
        ("2026-07-04T09:30:12.345678Z", True),
        ("2026-07-04T09:30:12.34567Z", False),
        ("2026-07-04 09:30:12.345678Z", False),
        ("٢٠٢٦-07-04T09:30:12.345678Z", False),
        ("", False),
    ],
)
def test_a_time_has_one_form(value: str, answer: bool) -> None:
    assert is_time(value) == answer
