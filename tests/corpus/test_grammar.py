"""The command line itself: words and options too many, too few, misspelt or in odd places."""

from __future__ import annotations

import pytest

from tests.corpus.post import ARCHIVED, WAITING, Post, clean
from tests.support.reader import header_and_body

MISUSED = {
    "an unknown command": ["forward", "beta", WAITING],
    "a misspelt command": ["chekc", "beta"],
    "a command in capitals": ["CHECK", "beta"],
    "a cut command": ["arch", "beta", WAITING],
    "an empty command": [""],
    "a command with a newline": ["check\n", "beta"],
    "a command with an escape": ["\x1b[2J"],
    "a command of bytes": ["\udcff\udcfe"],
    "a command that is an option's end": ["--"],
    "a command of 100,000 letters": ["x" * 100_000],
    "no words to register": ["register"],
    "no duty to register": ["register", "gamma", "/tmp"],
    "no words to send": ["send"],
    "no slug to send": ["send", "alpha", "beta"],
    "two to check": ["check", "alpha", "beta"],
    "nothing to read": ["read"],
    "three to read": ["read", "beta", WAITING, ARCHIVED],
    "nothing to reply to": ["reply"],
    "nothing to archive": ["archive"],
    "nothing to unarchive": ["unarchive"],
    "two to unarchive": ["unarchive", "beta", WAITING, ARCHIVED],
    "nobody to prune": ["prune"],
    "three words to prune": ["prune", "beta", "60", "60"],
    "a word for the roster": ["roster", "beta"],
    "an unknown option": ["check", "beta", "--colour"],
    "an unknown option in front": ["--colour", "check", "beta"],
    "an option of the command in front of it": ["--json", "check", "beta"],
    "a short option that is none": ["check", "beta", "-x"],
    "short options in a row": ["check", "beta", "-hx"],
    "a cut option": ["send", "alpha", "beta", "hello", "--prio", "high"],
    "an option of another command": ["check", "beta", "--raw"],
    "an option that asks for a value": ["send", "alpha", "beta", "hello", "--priority"],
    "a flag that got a value": ["check", "beta", "--json=yes"],
    "an option in capitals": ["check", "beta", "--JSON"],
    "an option with an escape": ["check", "beta", "--\x1b[2J"],
    "an option with a newline": ["check", "beta", "--json\n"],
    "an option of bytes": ["check", "beta", "--\udcff"],
    "an option of 100,000 letters": ["check", "beta", "--" + "x" * 100_000],
    "a dash for an option": ["check", "beta", "-"],
    "a negative number": ["prune", "beta", "-1"],
    "an option behind the dashes": ["check", "beta", "--", "--json"],
}


@pytest.mark.parametrize("words", MISUSED.values(), ids=MISUSED)
def test_a_call_that_matches_no_command_is_refused(post: Post, words: list[str]) -> None:
    assert "nothing was changed" in post.refuses(2, *words, stdin="text")


def test_the_error_about_a_leading_dash_explains_two_dashes(post: Post) -> None:
    hint = "words that begin with a dash come after --"
    assert hint in post.refuses(2, "search", "--force")
    assert hint not in post.refuses(2, "check", "beta", "--force")
    assert hint not in post.refuses(2, "chekc", "beta")


@pytest.mark.parametrize(
    "name", ["a command with an escape", "no slug to send", "an option of bytes", "a negative number"]
)
def test_a_process_refuses_such_a_call(post: Post, name: str) -> None:
    post.refuses(2, *MISUSED[name], run=post.run, stdin="text")


@pytest.mark.parametrize(
    "command", ["register", "send", "check", "read", "reply", "archive", "unarchive", "prune", "roster"]
)
def test_wrong_arguments_are_answered_with_the_usage(post: Post, command: str) -> None:
    line = post.refuses(
        2,
        command,
        *([""] * 9 if command == "roster" else ["x", "y", "z"] if command == "check" else []),
        *(["beta", "1", "2"] if command == "prune" else []),
    )
    assert ("use `agentmail roster`" if command == "roster" else f"usage: agentmail {command}") in line


@pytest.mark.parametrize(
    "words",
    [
        ["send", "--json", "alpha", "beta", "hello", "a subject"],
        ["send", "alpha", "--json", "beta", "hello", "a subject"],
        ["send", "alpha", "beta", "hello", "a", "--json", "subject"],
        ["send", "alpha", "beta", "hello", "a subject", "--json"],
        ["send", "--json", "--", "alpha", "beta", "hello", "a subject"],
        ["send", "--priority=high", "--json", "--priority", "normal", "alpha", "beta", "hello", "a subject"],
    ],
)
def test_options_may_stand_anywhere_after_the_command(post: Post, words: list[str]) -> None:
    ran = post.inside(*words, stdin="text")
    assert (ran.code, ran.trouble, ran.json["outcome"]) == (0, "", "delivered")
    header, _ = header_and_body((post.inbox / f"{ran.json['id']}.md").read_bytes())
    assert (header["subject"], header["priority"]) == ("a subject", "normal")


def test_after_two_dashes_everything_is_a_word(post: Post) -> None:
    data = post.sent("alpha", "beta", "hello", "--", "--json", "-h", "--", run=post.run, stdin="text")
    assert header_and_body(data)[0]["subject"] == '"--json -h --"'


def test_a_lone_dash_is_a_word(post: Post) -> None:
    data = post.sent("alpha", "beta", "hello", "-", run=post.run, stdin="text")
    assert header_and_body(data)[0]["subject"] == '"-"'


def test_help_needs_no_bus_and_changes_nothing(post: Post) -> None:
    with post.untouched():
        for words in ([], ["-h"], ["--help"], ["send", "-h"], ["archive", "beta", WAITING, "--help"]):
            ran = post.run(*words, env={"AGENT_MAIL_DIR": "nowhere", "HOME": None})
            assert (ran.code, ran.trouble) == (0, "")
            assert "Usage: agentmail" in ran.out
        assert post.run("--version", env={"AGENT_MAIL_DIR": "nowhere"}).out.startswith("agentmail ")


def test_an_error_in_json_is_the_same_error(post: Post) -> None:
    for words in (
        ["check", "gamma", "--json"],
        ["archive", "beta", "20260101-0000-a-x", "--json"],
        ["read", "--json"],
    ):
        with post.untouched():
            ran = post.run(*words)
        clean(ran.stdout)
        assert ran.code in (1, 2, 3)
        assert ran.err.count("\n") == 1
        if ran.json["schema"] == "agentmail.error.v1":
            assert ran.json["exit"] == ran.code
            assert ran.err == f"agentmail: {ran.json['what']}; {ran.json['now']}; {ran.json['next']}\n"
        else:
            assert [message["outcome"] for message in ran.json["messages"]] == ["not-found"]
