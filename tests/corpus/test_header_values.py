"""Subjects and the other header values: one line of text comes back as that text; the rest is refused."""

from __future__ import annotations

import pytest
import yaml

from agentmail.message import read_message
from tests.corpus.post import WAITING, Post, clean, letter
from tests.support.reader import header_and_body

#: Values that are more than one line of text, or that a terminal would obey.
REFUSED = {
    "a second header line": "x\nto: gamma",
    "an end of the header": "x\r\n---\r\nbody",
    "an end of the header, of Unix": "x\n---\nbody",
    "a newline": "\n",
    "a newline behind": "x\n",
    "a newline in front": "\nx",
    "a carriage return": "x\rto: gamma",
    "a tab": "x\ty",
    "a vertical tab": "x\vy",
    "a form feed": "x\fy",
    "a NUL": "x\0y",
    "a bell": "x\x07",
    "a title for the terminal": "\x1b]0;pwn\x07",
    "a cleared screen": "\x1b[2J",
    "a filled clipboard": "\x1b]52;c;aGk=\x07",
    "a link": "\x1b]8;;http://example.invalid\x1b\\x\x1b]8;;\x1b\\",
    "a C1 control sequence": "\x9b31m",
    "a next line of C1": "x\x85y",
    "a delete": "x\x7f",
    "backspaces": "\b" * 40,
    "bytes that are not UTF-8": "x\udcff\udcfe",
    "501 bytes": "x" * 501,
    "501 bytes of Chinese": "差" * 167,
    "10,000 characters": "x" * 10_000,
    "100,000 characters": "x" * 100_000,
}

#: Text that YAML, a shell or an agent's host would make something else of.
KEPT = [
    "---",
    "...",
    "a: b # c",
    "#x",
    "fix #12",
    '"q"',
    "'q'",
    "'",
    '"',
    "[x]",
    "{a: b}",
    "&a",
    "*a",
    "!!python/object:os.system",
    "!x",
    "- x",
    "-",
    "? x",
    ": x",
    "x:",
    "|",
    ">",
    "%TAG",
    "@x",
    "`id`",
    "$(id)",
    "$HOME",
    "no",
    "yes",
    "null",
    "~",
    "true",
    "12:30",
    "1e3",
    "0x10",
    "2026-07-04",
    "20260704",
    ".5",
    ".nan",
    "=",
    "<<",
    "a\\nb",
    "\\",
    "x\\",
    "</oks-mail>",
    "</system-reminder>",
    "]]>",
    "<!-- x -->",
    "主题：差距",
    "🙂",
    "e\u0301",
    "x" * 500,
    "差" * 166,
    "x\u00a0y",
    "\u00a0x",
]

#: Accepted, but never shown as they are: what cannot be seen, or turns a line around.
INVISIBLE = ["x\u202ey", "x\u2066y", "x\u200by", "x\u2028y", "x\u2029y", "x\u200fy", "\ufeffx", "x\u2060y"]


@pytest.mark.parametrize("bad", REFUSED.values(), ids=REFUSED)
def test_a_subject_that_is_not_one_line_of_text_is_refused(post: Post, bad: str) -> None:
    assert "nothing was changed" in post.refuses(2, "send", "alpha", "beta", "hello", bad, stdin="text")
    assert "nothing was changed" in post.refuses(2, "reply", "beta", WAITING, bad, stdin="text")


@pytest.mark.parametrize("bad", ["x\nto: gamma", "\x1b]0;pwn\x07\x9b31m", "x\udcff", "x" * 501])
def test_a_process_refuses_such_a_subject(post: Post, bad: str) -> None:
    post.refuses(2, "send", "alpha", "beta", "hello", bad, run=post.run, stdin="text")
    post.refuses(2, "reply", "beta", WAITING, bad, run=post.run, stdin="text")


@pytest.mark.parametrize("text", KEPT + INVISIBLE)
def test_a_subject_comes_back_as_the_text_that_was_given(post: Post, text: str) -> None:
    data = post.sent("--", "alpha", "beta", "hello", text, stdin="text\n")
    header, body = header_and_body(data)
    assert (header["from"], header["to"], body) == ("alpha", "beta", b"text\n")
    assert read_message(data).get("subject") == text
    known = yaml.load(data.split(b"---\n")[1], yaml.BaseLoader)
    assert (known["subject"], known["to"]) == (text, "beta")
    (shown,) = [
        entry for entry in post.inside("check", "beta", "--json").json["messages"] if entry["id"] != WAITING
    ]
    assert (shown["subject"], shown["flags"]) == (text, [])


@pytest.mark.parametrize("text", ["---", "a: b # c", "\\", "主题：差距", '"q"', "x\u202ey"])
def test_a_subject_survives_a_process(post: Post, text: str) -> None:
    data = post.sent("--", "alpha", "beta", "hello", text, run=post.run, stdin="text")
    assert read_message(data).get("subject") == text


@pytest.mark.parametrize("text", INVISIBLE)
def test_invisible_characters_in_a_subject_are_escaped(post: Post, text: str) -> None:
    post.sent("alpha", "beta", "hello", text, stdin="text")
    ran = post.inside("check", "beta")
    assert "\\u{" in clean(ran.stdout)
    clean(post.inside("check", "beta", "--json").stdout)


def test_the_words_of_a_subject_are_joined(post: Post) -> None:
    data = post.sent("alpha", "beta", "hello", "three", "plain", "words", stdin="text")
    assert b"\nsubject: three plain words\n" in data


@pytest.mark.parametrize("words", [[], [""], ["", ""], ["   "]])
def test_an_empty_subject_is_stored_empty_and_shown_as_missing(post: Post, words: list[str]) -> None:
    assert b"\nsubject:\n" in post.sent("alpha", "beta", "hello", *words, stdin="text")
    assert "(no subject)" in post.inside("check", "beta").lines[-2]


BAD_OPTIONS = {
    "a thread that is a path": ("--thread", "../../x"),
    "a thread with a newline": ("--thread", "x\nto: gamma"),
    "a thread that is an absolute path": ("--thread", "/etc/passwd"),
    "a thread of two words": ("--thread", "two words"),
    "a thread with an escape": ("--thread", "x\x1b[2J"),
    "an empty thread": ("--thread", ""),
    "a long thread": ("--thread", "x" * 201),
    "an answer to a path": ("--re", "../../etc/passwd"),
    "an answer to nothing": ("--re", ""),
    "an answer to a line break": ("--re", f"{WAITING}\nto: gamma"),
    "an urgent priority": ("--priority", "urgent!!!"),
    "an empty priority": ("--priority", ""),
    "a loud priority": ("--priority", "HIGH"),
    "a priority with a newline": ("--priority", "high\nto: gamma"),
    "a number for a priority": ("--priority", "1"),
}


@pytest.mark.parametrize("option", BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_an_option_with_such_a_value_is_refused(post: Post, option: tuple[str, str]) -> None:
    for words in (["send", "alpha", "beta", "hello", *option], ["send", *option, "alpha", "beta", "hello"]):
        assert "nothing was changed" in post.refuses(2, *words, stdin="text")
    post.refuses(2, "send", f"{option[0]}={option[1]}", "alpha", "beta", "hello", stdin="text")


@pytest.mark.parametrize(
    "name", ["a thread that is a path", "an answer to a line break", "an urgent priority"]
)
def test_a_process_refuses_such_an_option(post: Post, name: str) -> None:
    post.refuses(2, "send", "alpha", "beta", "hello", *BAD_OPTIONS[name], run=post.run, stdin="text")


@pytest.mark.parametrize("thread", ["txn-standard", "20260704-0930-alpha-x", "Legacy.Thread_1", "a" * 200])
def test_a_slug_or_an_id_names_a_thread(post: Post, thread: str) -> None:
    data = post.sent("alpha", "beta", "hello", "--thread", thread, stdin="text")
    assert read_message(data).thread == thread


@pytest.mark.parametrize("found", ["../../x", "/etc/passwd", "two words", "a\\b", "", "x" * 201, "-x", ".x"])
def test_an_invalid_thread_in_a_file_is_ignored(post: Post, found: str) -> None:
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, thread=f"'{found}'", re="../../etc/passwd"))
    assert post.listed(f"{WAITING}.md")["thread"] == ""
    ran = post.inside("reply", "beta", WAITING, stdin="text")
    assert (ran.code, ran.trouble) == (0, "")
    data = (post.bus / "alpha" / "inbox" / f"{ran.out.strip()}.md").read_bytes()
    assert (read_message(data).thread, read_message(data).get("re")) == (WAITING, WAITING)


@pytest.mark.parametrize("found", ["urgent!!!", "HIGH", "", "1", "high high"])
def test_an_invalid_priority_in_a_file_counts_as_normal(post: Post, found: str) -> None:
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, priority=found))
    assert post.listed(f"{WAITING}.md")["priority"] == "normal"
    assert "  normal  " in post.run("check", "beta").out


@pytest.mark.parametrize("sender", ["../evil", "/etc", "Beta", "", "a b", "x\x1b[2J", "inbox", "團隊"])
def test_a_message_with_an_invalid_sender_cannot_be_answered(post: Post, sender: str) -> None:
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, sender=sender))
    line = post.refuses(2, "reply", "beta", WAITING, stdin="text")
    assert "names no sender that could be answered" in line
    assert f"`agentmail send beta OTHER re 're: words' --re {WAITING} <<'EOF'`" in line


def test_a_message_with_an_unknown_sender_cannot_be_answered(post: Post) -> None:
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, sender="gamma"))
    post.refuses(3, "reply", "beta", WAITING, run=post.run, stdin="text")


def test_an_answer_to_a_hostile_subject_carries_it_as_text(post: Post) -> None:
    hostile = "\x1b]0;pwn\x07 \u202e " + "差" * 300
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, subject=hostile))
    ran = post.run("reply", "beta", WAITING, stdin="text")
    assert (ran.code, ran.trouble) == (0, "")
    subject = read_message((post.bus / "alpha" / "inbox" / f"{ran.out.strip()}.md").read_bytes()).get(
        "subject"
    )
    assert subject.startswith("re: \\u{1b}]0;pwn\\u{7} \\u{202e} ")
    assert len(subject.encode()) <= 500
    clean(subject.encode())
