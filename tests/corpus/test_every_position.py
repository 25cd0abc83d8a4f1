"""Every word of every command in turn, replaced by one of each kind of bad word."""

from __future__ import annotations

import pytest

from tests.corpus.post import ARCHIVED, WAITING, Post, clean

#: A good call of each command, and from which word on anything that is one line of text is good.
GOOD: dict[str, tuple[list[str], int]] = {
    "register": (["register", "gamma", "/tmp", "duty"], 2),
    "send": (["send", "alpha", "beta", "hello", "subject"], 4),
    "send with options": (
        [
            "send",
            "alpha",
            "beta",
            "hello",
            "--re",
            WAITING,
            "--thread",
            "t",
            "--priority",
            "low",
            "--body-file",
            "b",
        ],
        99,
    ),
    "check": (["check", "beta"], 99),
    "read": (["read", "beta", WAITING], 99),
    "reply": (["reply", "beta", WAITING, "subject"], 3),
    "archive": (["archive", "beta", WAITING, ARCHIVED], 99),
    "unarchive": (["unarchive", "beta", ARCHIVED], 99),
    "prune": (["prune", "beta", "60"], 99),
}

BAD = {
    "nothing": "",
    "a space": " ",
    "a newline": "\n",
    "a NUL": "\0",
    "an escape": "\x1b]0;pwn\x07",
    "a C1 control": "\x9b2J",
    "bytes that are not UTF-8": "\udcff\udcfe",
    "a right-to-left override": "\u202e",
    "a way out": "../../../etc/passwd",
    "an option that is none": "--no-such-option",
    "100,000 letters": "x" * 100_000,
    "an emoji": "🙂",
}

#: What is one line of text, and so good where free text is asked for.
TEXT = {"\u202e", "../../../etc/passwd", "🙂", "--no-such-option"}


@pytest.mark.parametrize("words, text_from", GOOD.values(), ids=GOOD)
def test_a_bad_word_in_any_position_is_refused_in_one_line(
    post: Post, words: list[str], text_from: int
) -> None:
    empty = set() if words[0] == "register" else {"", " "}
    for place in range(len(words)):
        for bad in BAD.values():
            if words[place].startswith("--") or (place >= text_from and bad in TEXT | empty):
                continue
            line = post.refuses(2, *words[:place], bad, *words[place + 1 :], stdin="text", cwd=post.desk)
            assert "nothing was " in line


@pytest.mark.parametrize("words, text_from", GOOD.values(), ids=GOOD)
def test_a_process_refuses_a_bad_word_in_any_position(post: Post, words: list[str], text_from: int) -> None:
    for place in range(1, len(words)):
        if not words[place].startswith("--"):
            bad = [*words[:place], "\udcff\x1b[2J\n", *words[place + 1 :]]
            post.refuses(2, *bad, run=post.run, stdin="text", cwd=post.desk)


@pytest.mark.parametrize("words, text_from", GOOD.values(), ids=GOOD)
def test_the_good_words_are_good(post: Post, words: list[str], text_from: int) -> None:
    (post.desk / "b").write_text("text")
    ran = post.inside(*words, stdin="" if "--body-file" in words else "text", cwd=post.desk)
    assert (ran.code, ran.trouble) == (0, "")
    clean(ran.stdout)


@pytest.mark.parametrize("words, text_from", GOOD.values(), ids=GOOD)
def test_one_word_more_or_less_is_refused_or_has_a_meaning(
    post: Post, words: list[str], text_from: int
) -> None:
    for count in range(len(words)):
        if count == 0 or (words[0], count) in (
            ("send", 4),
            ("send", 6),
            ("send", 8),
            ("send", 10),
            ("reply", 3),
            ("prune", 2),
            ("archive", 3),
        ):
            continue  # help, and what may be left out
        if words[0] in ("check", "read", "reply", "archive", "unarchive") and count in (1, 2):
            continue  # then the surroundings say who is meant
        post.refuses(2, *words[:count], stdin="text", cwd=post.desk)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "Bad"],
        ["read", "Bad", WAITING],
        ["read", "beta", "../x"],
        ["read", "beta", "../x", "--raw"],
        ["thread", "Bad", WAITING],
        ["thread", "beta", "../x"],
        ["ack", "Bad", WAITING],
        ["ack", "beta", "../x"],
        ["ack", "beta", WAITING, "../x"],
        ["wait", "Bad", "--timeout", "0"],
        ["wait", "beta", "--timeout", "soon"],
    ],
    ids=" ".join,
)
def test_bad_words_of_a_session_are_refused_before_this_machine_gets_an_id(
    post: Post, words: list[str]
) -> None:
    post.refuses(2, *words, "--session", "s1")
    assert not (post.home / ".agents").exists()
