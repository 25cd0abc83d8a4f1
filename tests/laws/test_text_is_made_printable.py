"""Nothing a terminal could obey, and nothing a reader could not see, ever leaves through `printable`.

The characters come from Unicode's own data, not from the product's list.
"""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.core.names import printable, quoted

#: Default_Ignorable_Code_Point, from Unicode's DerivedCoreProperties.txt, but for the variation selectors
#: FE00 to FE0F, which emoji need.
IGNORABLE = frozenset({0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0}).union(
    range(0x180B, 0x1810),
    range(0x200B, 0x2010),
    range(0x202A, 0x202F),
    range(0x2060, 0x2070),
    range(0xFFF0, 0xFFF9),
    range(0x1BCA0, 0x1BCA4),
    range(0x1D173, 0x1D17B),
    range(0xE0000, 0xE1000),
)
#: Letters of a format category that do have a picture: signs around numbers in Arabic, Kaithi, Egyptian.
VISIBLE = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")


def is_invisible(c: str) -> bool:
    category = unicodedata.category(c)
    return (
        category in ("Cc", "Cs", "Zl", "Zp")
        or ord(c) in IGNORABLE
        or (category == "Cf" and not unicodedata.name(c, "").startswith(VISIBLE))
    )


def test_every_character_of_unicode_by_itself() -> None:
    invisible = list(filter(is_invisible, map(chr, range(sys.maxunicode + 1))))
    assert len(invisible) > 6000
    assert not [hex(ord(c)) for c in invisible if c in printable(c)]


@pytest.mark.parametrize(
    "text", ["plain", "Größe", "标准差距", "❤\ufe0f", "שלום", "١٢", "é", "a\u0301", "𝔘", "한국어", ""]
)
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text


@given(st.text())
def test_the_result_is_printable_and_stays_as_it_is(text: str) -> None:
    shown = printable(text)
    assert not any(map(is_invisible, shown))
    assert printable(shown) == shown
    shown.encode()


@given(st.text())
def test_what_is_kept_is_only_what_was_asked_for(text: str) -> None:
    shown = printable(text, keep="\n\t")
    assert {c for c in shown if is_invisible(c)} <= {"\n", "\t"}
    assert shown.count("\n") == text.count("\n")


@given(st.binary())
def test_bytes_that_are_no_text_are_shown_too(data: bytes) -> None:
    printable(data.decode("utf-8", "surrogateescape")).encode()


@given(st.text())
def test_what_an_error_quotes_is_one_short_line(text: str) -> None:
    shown = quoted(text)
    assert printable(shown) == shown
    assert len(shown) <= 80 * len("\\u{10ffff}") + 3


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b]0;pwn\x07", r"\u{1b}]0;pwn\u{7}"),
        ("\x9b31m", r"\u{9b}31m"),
        ("bet\u202ea", r"bet\u{202e}a"),
        ("a\r\nb", r"a\u{d}\u{a}b"),
        ("\udcff.md", r"\u{dcff}.md"),
        ("a\U000e0041b", r"a\u{e0041}b"),
    ],
)
def test_escapes_name_the_character(text: str, shown: str) -> None:
    assert printable(text) == shown
