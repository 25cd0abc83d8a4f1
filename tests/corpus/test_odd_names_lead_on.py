"""An entry whose name is no message's: each command that is asked for it says so, and how it gets the name of one."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.corpus.post import Post, letter
from tests.corpus.test_names_in_an_inbox import UNRECOGNISED

COMMAND = re.compile(r": `((?:mv|find) .*)`$")
ODD = {
    **UNRECOGNISED,
    "a duplicate of a browser": "20260705-0000-alpha-x (1).md",
    "of a desktop": "desktop.ini",
}


def follow(error: str) -> None:
    """Run the command that an error ends with, in a shell."""
    found = COMMAND.search(error.rstrip("\n"))
    assert found is not None, error
    done = subprocess.run(["sh", "-c", found[1]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done


def shown_as(post: Post, name: str) -> str:
    return str(post.listed(name)["id"])


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
@pytest.mark.parametrize("command", ["read", "archive"])
def test_it_is_there_why_it_has_no_id_and_the_command_that_renames_it(
    post: Post, command: str, name: str
) -> None:
    post.put(post.inbox / name, letter("x", subject="of another name"))
    asked = {name, shown_as(post, name)}
    with post.untouched():
        for text in asked:
            ran = post.inside(command, "beta", "--", text)
            assert (ran.code, ran.out) == (2, ""), (text, ran)
            assert "is in the inbox of beta, but its name " in ran.err
            assert ran.err.count("\n") == 1
    id = re.search(r"to make it message (\S+):", ran.err)
    assert id is not None
    follow(ran.err)
    assert not os.path.lexists(post.inbox / name)
    assert "of another name" in post.inside("read", "beta", id[1]).out
    assert post.inside("archive", "beta", id[1]).code == 0


def test_the_new_name_replaces_nothing(post: Post) -> None:
    post.put(post.inbox / "20260705-0000-alpha-x-1.md", letter("x", subject="the first"))
    post.put(post.inbox / "20260705-0000-alpha-x (1).md", letter("x", subject="the second"))
    post.inside("archive", "beta", "20260705-0000-alpha-x-1")
    follow(post.inside("read", "beta", "20260705-0000-alpha-x (1)").err)
    assert "the second" in post.inside("read", "beta", "20260705-0000-alpha-x-1-2").out
    assert "the first" in post.inside("read", "beta", "20260705-0000-alpha-x-1").out


def test_a_message_of_that_id_comes_first(post: Post) -> None:
    post.put(post.inbox / "20260705-0000-alpha-x", letter("x", subject="without an ending"))
    post.put(post.inbox / "20260705-0000-alpha-x.md", letter("x", subject="the message"))
    assert "the message" in post.inside("read", "beta", "20260705-0000-alpha-x").out


@pytest.mark.parametrize("name", ["a directory", "x.md.gz"])
def test_what_is_no_file_is_to_be_moved_away(post: Post, name: str) -> None:
    (post.inbox / name).mkdir()
    for command in ("read", "archive"):
        ran = post.inside(command, "beta", name)
        assert (ran.code, ran.out) == (2, "")
        assert "is no regular file" in ran.err
        assert "move it away" in ran.err


def test_an_id_with_an_ending_too_many_leads_on_too(post: Post) -> None:
    post.put(post.inbox / "x.md.md", letter("x", subject="twice"))
    ran = post.inside("read", "beta", "x.md")
    assert ran.code == 2
    follow(ran.err)
    assert "twice" in post.inside("read", "beta", "x-md").out


@pytest.mark.parametrize("command", ["ack", "reply", "thread", "receipts"])
def test_other_commands_say_the_same(post: Post, command: str) -> None:
    post.put(post.inbox / "a b.md", letter("x"))
    options = ("--session", "s1", "--as", "beta") if command == "ack" else ()
    ran = post.inside(command, "beta", "a b", *options)
    assert ran.code == 2
    assert "is in the inbox of beta, but its name " in ran.err


def test_a_failure_for_one_of_several_ids_changes_nothing(post: Post) -> None:
    post.put(post.inbox / "a b.md", letter("x"))
    with post.untouched():
        assert post.inside("archive", "beta", "20260704-0930-alpha-budget", "a b").code == 2


def test_what_is_not_there_stays_not_found(post: Post) -> None:
    post.put(post.inbox / "a b.md", letter("x"))
    assert post.inside("read", "beta", "b c").code == 2
    assert "is not a message id" in post.inside("read", "beta", "b c").err
    assert post.inside("read", "beta", "20260704-0930-alpha-nothing").code == 1
