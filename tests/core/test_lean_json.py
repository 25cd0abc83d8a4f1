"""JSON without the package says what the package says, and stays silent where that would raise."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.core.lean_json import flat, loads, quoted
from tests.support.cli import ROOT

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
NOT_JSON = [
    "",
    " ",
    "{",
    "[",
    '"',
    '"x',
    "{]",
    '{"a"',
    '{"a":',
    '{"a": 1',
    '{"a": 1,',
    "{1: 2}",
    "NaN",
    "[NaN]",
    "-",
]
NOT_JSON += [
    "Infinity",
    "tru",
    "nul",
    "1 2",
    "{} {}",
    "'x'",
    '"\x01"',
    "[1,]",
    "[" * 100_000,
    '"\\x"',
    '"\\u12"',
    "0x1",
]


@given(VALUES, st.booleans())
def test_what_the_package_writes_is_read(value, ascii_only):
    assert loads(json.dumps(value, ensure_ascii=ascii_only)) == value
    assert loads(f" \r\n\t{json.dumps(value, indent=1)}\n ") == value


@given(st.text(alphabet='{}[]",:\\ntrufalse0123-.eE \n', max_size=20))
def test_what_the_package_refuses_is_none(text):
    try:
        expected = json.loads(text.strip(" \t\r\n"), parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        expected = None
    assert loads(text) == expected


def test_what_is_not_json_is_none_also_where_the_package_was_never_loaded():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from agentmail.core.lean_json import loads; "
        "texts = sys.stdin.read().split('\\0'); assert len(texts) > 20; "
        "assert 'json' not in sys.modules; sys.exit(repr([text[:9] for text in texts if loads(text) is not None]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT)],
        input="\0".join(NOT_JSON),
        capture_output=True,
        text=True,
    )
    assert done.stderr == "[]\n"


@given(st.text())
def test_a_text_is_quoted_as_the_package_does(text):
    assert quoted(text) == json.dumps(text)


@given(st.dictionaries(st.text(), st.text() | st.booleans()))
def test_an_object_is_written_as_the_package_does(pairs):
    assert flat(pairs) == json.dumps(pairs)


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_what_is_nested_beyond_reason_is_none(text):
    assert loads(text) is None
