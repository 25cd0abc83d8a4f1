"""read_message(write_message(message)) == message, and every other reader of YAML finds the same words in it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from agentmail.core.errors import Refused
from agentmail.message import HEADER_MAX, KEYS, Message, _canonical, read_message, write_message
from agentmail.message.scalar import written
from agentmail.message.yaml_header import load_header

#: Pieces that mean something to YAML, to a header, or to a terminal.
PIECES = st.sampled_from(
    [
        *(
            "no",
            "null",
            "~",
            "12:30",
            "20260704",
            "0x1f",
            "1e3",
            "yes",
            "=",
            "<<",
            "- ",
            "? ",
            ": ",
            " #",
            "#",
        ),
        *(
            "'",
            '"',
            "\\",
            "\\n",
            "[",
            "]",
            "{",
            "}",
            "&a",
            "*a",
            "!!python/object:os.system",
            "|",
            ">",
            "%",
            "@",
        ),
        *("---", "...", "2026-07-04", "2026-07-04T09:30:12.345678Z", "20260704-0930-alpha-x", " ", "  ", ","),
        *("\u00a0", "\u2028", "\ufeff", "\u202e", "\u200b", "\u3000", "标准", "❤\ufe0f", "𝔘", "\uffff", "é"),
    ]
)
LINES = st.one_of(
    st.lists(PIECES, max_size=6).map("".join),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=60),
)
VALUES = st.fixed_dictionaries(dict.fromkeys(KEYS, LINES))
OTHER_KEYS = st.dictionaries(st.text(st.sampled_from("abcxyz_"), min_size=1, max_size=12), LINES, max_size=3)
BODIES = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from([b"---\n", b"---", b"\r\n", b"\n", b"text", b"\xef\xbb\xbf", b"id: x\n", b"\xff"])
    ).map(b"".join),
)


def is_key(key: str) -> bool:
    return key.replace("_", "a").isalpha() and key not in KEYS


@given(VALUES, OTHER_KEYS, BODIES)
def test_every_message_comes_back_as_it_was_written(
    values: dict[str, str], others: dict[str, str], body: bytes
) -> None:
    message = Message({**values, **{key: line for key, line in others.items() if is_key(key)}}, body)
    try:
        data = write_message(message)
    except Refused:
        assume(False)  # a header over its limit, which has a test of its own
    assert read_message(data) == message
    assert data.endswith(body)


@given(VALUES)
@example({"subject": "20260704-0930"})
@example({"subject": "2026-07-04T09:30:12.345678Z"})
def test_a_yaml_library_that_resolves_everything_finds_the_same_text(values: dict[str, str]) -> None:
    data = write_message(Message(values))
    assert data.startswith(b"---\n")
    found = yaml.safe_load(data[4 : data.rindex(b"---\n")])
    assert list(found) == list(values)
    for key, value in values.items():
        if not value:
            assert found[key] is None
        elif not is_date(value):
            assert found[key] == value


def is_date(value: str) -> bool:
    """The one form that is written bare although YAML gives it a type: it stands in `date`."""
    return len(value) == 27 and value[4] == "-" and value[26] == "Z"


HEADER_LINES = st.one_of(
    st.builds("{}:{}".format, st.sampled_from([*KEYS, "x_y", "Id", "a b", ""]), LINES),
    st.builds("{}: {}".format, st.sampled_from(KEYS), LINES),
    st.builds('{}: "{}"'.format, st.sampled_from(KEYS), LINES),
    st.builds("{}: {}".format, st.sampled_from(KEYS), st.text(max_size=20).map(repr)),
    LINES,
)


@given(st.lists(HEADER_LINES, max_size=4))
@example(['subject: "\\u0041"'])
@example(["subject: a\u00a0"])
@example(['subject: "a" # b'])
@example(["subject: a:", "to: b"])
def test_the_two_readers_agree_wherever_the_quick_one_answers(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    quick = _canonical(text)
    if quick is not None:
        assert load_header(text) == (quick, False)


@given(VALUES)
def test_the_two_readers_agree_on_all_that_we_write(values: dict[str, str]) -> None:
    text = write_message(Message(values))[4:-4].decode()
    assert _canonical(text) == values
    assert load_header(text) == (values, False)


@given(LINES)
def test_a_value_is_one_line_of_printable_text(line: str) -> None:
    text = written(line) if line else ""
    assert "\n" not in text
    assert not any(
        0x7F <= ord(c) < 0xA0 or ord(c) < 32 or c in "\u2028\u2029\u202e\u200b\ufeff" for c in text
    )


@pytest.mark.parametrize(
    "value", ["a\nto: gamma", "a\r\n---\r\nbody", "\x1b]0;pwn\x07", "\x9b31m", "a\tb", "\x7f", "\ud800", "\0"]
)
def test_what_is_not_one_line_of_text_is_not_written(value: str) -> None:
    with pytest.raises(Refused) as refused:
        write_message(Message({"subject": value}))
    assert refused.value.exit_code == 2


def test_a_header_has_its_limit_to_the_byte() -> None:
    spare = HEADER_MAX - len(write_message(Message({"subject": "x"})))
    assert len(write_message(Message({"subject": "x" * (spare + 1)}))) == HEADER_MAX
    assert read_message(write_message(Message({"subject": "x" * (spare + 1)}, b"body"))).body == b"body"
    with pytest.raises(Refused, match="over 4096"):
        write_message(Message({"subject": "x" * (spare + 2)}))


@pytest.mark.parametrize(
    "subject", ["no", "yes", "null", "~", "12:30", "20260704", "1e3", "0x1f", ".inf", "---"]
)
def test_words_that_yaml_would_resolve_stay_words(subject: str) -> None:
    data = write_message(Message({"subject": subject}))
    assert read_message(data).get("subject") == subject
    assert yaml.safe_load(data[4:-4]) == {"subject": subject}
