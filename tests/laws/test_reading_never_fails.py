"""Whatever stands in a file, it is read without an error, in bounded work, and what is odd about it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentmail.message import (
    DUPLICATE_KEY,
    HEADER_MAX,
    IRREGULAR,
    NO_HEADER,
    UNREADABLE,
    Message,
    peek,
    read_message,
)

PIECES = st.sampled_from(
    [
        *(
            b"---",
            b"---\n",
            b"\n",
            b"\r\n",
            b": ",
            b"id: x\n",
            b"subject: ",
            b"from",
            b'"',
            b"'",
            b"\\",
            b"\\x",
        ),
        *(
            b"\\UFFFFFFFF",
            b'\\uD800"',
            b"[",
            b"{",
            b"}",
            b"- ",
            b"? ",
            b"&a ",
            b"*a ",
            b"!!",
            b"!<",
            b"|\n",
            b">-\n",
        ),
        *(
            b"%YAML 1.2\n",
            b"...\n",
            b"# x\n",
            b"\t",
            b"\0",
            b"\xff",
            b"\xef\xbb\xbf",
            b"\xc2\x85",
            b"\xe2\x80\xa8",
        ),
        *(b"=", b"<<: ", b"2026-01-01", b"0o17", b"1_000", b"\xf0\x9d\x94\x98", b" "),
    ]
)
FILES = st.one_of(
    st.binary(max_size=300),
    st.lists(PIECES, max_size=30).map(b"".join),
    st.lists(PIECES, max_size=20).map(lambda parts: b"---\n" + b"".join(parts) + b"\n---\nbody"),
)


@given(FILES)
@example(b"---\n# a comment alone\n---\nbody")
@example(b'---\nsubject: "\\UFFFFFFFF"\n---\nbody')
@example(b"---\n---\n")
@example(b"---\n" + b"[" * 2000 + b"\n---\n")
@example(b"---\n" + b"{a: " * 500 + b"\n---\n")
@example(b"---\n" + b"- " * 1000 + b"\n---\n")
def test_any_bytes_are_read(data: bytes) -> None:
    message = read_message(data)
    assert data.endswith(message.body)
    assert {type(text) for pair in message.values.items() for text in pair} <= {str}
    assert not any("\n" in value for value in message.values.values())
    if not message.values and message.body == data:
        assert message.flags in ((NO_HEADER,), (UNREADABLE,))


@given(FILES)
def test_a_look_at_the_head_sees_what_reading_sees(data: bytes) -> None:
    whole, seen = read_message(data), peek(data[: HEADER_MAX + 16])
    assert (seen.values, seen.flags) == (whole.values, whole.flags)


def bomb(levels: int = 9) -> bytes:
    first = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    others = (
        b"a%d: &a%d [%s]\n" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 9))
        for level in range(1, levels)
    )
    return b"---\nsubject: boom\n" + first + b"".join(others) + b"---\nbody\n"


def test_an_alias_bomb_is_text() -> None:
    message = read_message(bomb())
    assert message.flags == (IRREGULAR,)
    assert message.get("subject") == "boom"
    assert sum(map(len, message.values.values())) < len(bomb())
    assert message.body == b"body\n"


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system [touch {}]",
        "!!python/name:os.system",
        "!x y",
        "&a b",
        "*a",
        "!!int 7",
    ],
)
def test_a_tag_or_an_anchor_asks_for_nothing(value: str, tmp_path: Path) -> None:
    witness = tmp_path / "made"
    value = value.format(witness)
    message = read_message(f"---\nfrom: alpha\nsubject: {value}\n---\nbody".encode())
    assert message.values == {"from": "alpha", "subject": value}
    assert message.flags == (IRREGULAR,)
    assert not witness.exists()


class Counted(bytes):
    """Bytes that say how many of them were ever cut out of them."""

    taken = 0

    def __getitem__(self, part):
        cut = super().__getitem__(part)
        Counted.taken += len(cut) if isinstance(part, slice) else 1
        return cut

    def find(self, *arguments):
        assert len(arguments) == 3
        assert arguments[2] <= HEADER_MAX + 3, "it looks no further than a header may reach"
        return super().find(*arguments)


@pytest.mark.parametrize(
    "header",
    [b"subject: " + b"x" * 5_000_000, b"subject: x\n" * 500_000, b"\n" * 5_000_000],
    ids=["one line", "many lines", "empty lines"],
)
def test_a_header_of_five_megabytes_costs_what_a_header_of_four_kibibytes_costs(header: bytes) -> None:
    Counted.taken = 0
    data = Counted(b"---\n" + header)
    message = read_message(data)
    assert message == Message({}, data, (UNREADABLE,))
    assert Counted.taken <= 4 * HEADER_MAX


@pytest.mark.parametrize(
    "data, values, flags",
    [
        (b"", {}, (NO_HEADER,)),
        (b"no header\n", {}, (NO_HEADER,)),
        (b"---", {}, (UNREADABLE,)),
        (b"---\nfrom: alpha\nnever closed", {}, (UNREADABLE,)),
        (b"---\n[a, b]\n---\n", {}, (UNREADABLE,)),
        (b"---\nfrom: a\nfrom: b\n---\n", {"from": "a"}, (DUPLICATE_KEY,)),
        (b"---\nfrom: a\nfrom: b: c\n---\n", {"from": "a"}, (IRREGULAR, DUPLICATE_KEY)),
        (b"---\nsubject: re: fix: x\n---\n", {"subject": "re: fix: x"}, (IRREGULAR,)),
        (b"---\nsubject: fix #12 now\n---\n", {"subject": "fix #12 now"}, ()),
        (b"---\nsubject: 'quoted'\npriority: high\n---\n", {"subject": "quoted", "priority": "high"}, ()),
        (b"---\nsubject: no\n---\n", {"subject": "no"}, ()),
        (b"---\nsubject: \xff\n---\n", {"subject": "\ufffd"}, (IRREGULAR,)),
    ],
)
def test_what_is_odd_is_said(data: bytes, values: dict[str, str], flags: tuple[str, ...]) -> None:
    message = read_message(data)
    assert (message.values, message.flags) == (values, flags)


@pytest.mark.parametrize("value", ["urgent!!!", "", "HIGH", "high "])
def test_a_priority_that_is_none_counts_as_normal(value: str) -> None:
    assert Message({"priority": value}).priority == "normal"


@pytest.mark.parametrize("value", ["../../x", "a b", "", ".x", "x\n"])
def test_a_thread_that_could_be_a_path_is_none(value: str) -> None:
    assert Message({"thread": value}).thread == ""
