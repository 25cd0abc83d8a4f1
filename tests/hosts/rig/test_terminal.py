"""The rig's own screen."""

from __future__ import annotations

import pytest

from .terminal import Terminal


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("one\r\ntwo", "one\ntwo"),
        ("\x1b[2;3Hx\x1b[H\x1b[31my\x1b[0m", "y\n  x"),
        ("abc\x1b[1G\x1b[K", ""),
        ("abcdef\r\x1b[2C\x1b[X", "ab def"),
        ("1\r\n2\r\n3\r\n4", "2\n3\n4"),
        ("0123456789ab", "0123456789\nab"),
        ("\u6f22x", "\u6f22x"),
        ("a\x1b[2J\x1b[1;1Hb", "b"),
        ("a\x1b7\r\nb\x1b8c", "ac\nb"),
        ("\x1b]0;title\x07\x1b[?25hshown", "shown"),
    ],
)
def test_the_screen_shows_what_a_terminal_would(output: str, shown: str) -> None:
    whole, bytewise = Terminal(3, 10, bytes), Terminal(3, 10, bytes)
    whole.feed(output.encode())
    for byte in output.encode():
        bytewise.feed(bytes([byte]))
    assert whole.text() == bytewise.text() == shown


def test_titles_are_kept_and_questions_answered() -> None:
    answers: list[bytes] = []
    terminal = Terminal(3, 10, answers.append)
    terminal.feed(b"\x1b]0;one\x07\x1b]2;two\x1b\\\x1b[c\x1b[6n")
    assert terminal.titles == ["one", "two"]
    assert [answer for answer in answers if answer] == [b"\x1b[?62;c", b"\x1b[1;1R"]
