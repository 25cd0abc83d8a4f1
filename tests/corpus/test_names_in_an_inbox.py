"""Entries of other programs, people and attackers in an inbox are all listed, and none has an effect."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.check import check
from tests.corpus.odd import ODD, plant
from tests.corpus.post import WAITING, Post, clean, letter, the_line
from tests.support.trees import tree

#: Names that are not those of messages, and of what kind the entry is.
UNRECOGNISED = {
    "an escape": "\x1b[2J\x1b]0;pwn\x07.md",
    "a right-to-left override": "20260705-0000-alpha-\u202egpj.md",
    "spaces": "20260705-0000-alpha-x y.md",
    "a space in front": " 20260705-0000-alpha-x.md",
    "a shell's command": "'; rm -rf ~ #.md",
    "a command substitution": "$(touch hacked).md",
    "a newline": "20260705-0000-alpha-x\n20260705-0001-beta-forged.md",
    "a carriage return": "20260705-0000-alpha-x\rforged.md",
    "bytes that are not UTF-8": "\udcff.md",
    "a C1 control of Latin-1": "\udc9b31m.md",
    "Chinese": "20260705-0000-alpha-标准.md",
    "an option": "-rf.md",
    "another option": "--help.md",
    "the longest name": "x" * 252 + ".md",
    "an ending too many": "20260705-0000-alpha-x.md.icloud",
    "an editor's copy": "20260705-0000-alpha-x.md~",
    "a lock of an editor": "#20260705-0000-alpha-x.md#",
    "a readme": "README.txt",
    "no ending": "20260705-0000-alpha-x",
    "the ending of the archive": "20260705-0000-alpha-x.md.gz",
    "a conflicted copy": "20260705-0000-alpha-x (conflicted copy).md",
    "another conflicted copy": "20260705-0000-alpha-x 2.md",
    "capitals in the ending": "20260705-0000-alpha-x.MD",
    "a star": "*.md",
    "a backslash": "a\\b.md",
    "a quote": '"x".md',
    "markup": "[red]x.md",
}


#: Names of other programs that are ids all the same.
FOREIGN = [
    "note.md",
    "20260705-0000-alpha-x.sync-conflict-20260706-101112-ABCDEFG.md",
    "Draft_1.v2.md",
    "x.md.md",
    "1.md",
]


HIDDEN = [".DS_Store", ".20260705-0000-alpha-x.md.icloud", ".tmp-1-abc", "..md", ".\x1b[2J"]


@pytest.mark.parametrize("name", UNRECOGNISED.values(), ids=UNRECOGNISED)
def test_an_entry_with_an_unusual_name_is_listed_counted_and_harmless(post: Post, name: str) -> None:
    post.put(post.inbox / name, letter("x", subject="of another name"))
    with post.untouched():
        ran = post.inside("check", "beta")
    assert (ran.code, ran.trouble) == (0, "")
    lines = clean(ran.stdout).splitlines()
    assert lines[0].startswith("beta: 2 waiting, oldest first")
    assert "unrecognised: 1 (no message's name; see `agentmail doctor`)" in lines
    assert len([line for line in lines if "of another name" in line]) == 1
    assert len(lines) == 1 + 2 + 1 + 1
    assert "unrecognised-name" in str(post.listed(name)["flags"])


def test_a_process_lists_all_those_names_at_once(post: Post) -> None:
    for name in UNRECOGNISED.values():
        post.put(post.inbox / name, letter("x"))
    with post.untouched():
        ran = post.run("check", "beta")
        told = post.run("check", "beta", "--json")
    assert (ran.code, ran.err, told.code, told.err) == (0, "", 0, "")
    lines = clean(ran.stdout).splitlines()
    assert lines[-2].startswith(f"unrecognised: {len(UNRECOGNISED)} (")
    assert len(lines) == 1 + 1 + len(UNRECOGNISED) + 1 + 1
    clean(told.stdout)
    assert sorted(entry["file"] for entry in told.json["messages"]) == sorted(
        [f"{WAITING}.md", *UNRECOGNISED.values()]
    )


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_named_by_another_program_is_a_message(post: Post, name: str) -> None:
    post.put(post.inbox / name, letter("x"))
    assert post.listed(name)["flags"] == ["id-mismatch"]
    ran = post.inside("check", "beta")
    assert "unrecognised" not in ran.out
    assert post.inside("read", "beta", name).code == 0


TIMES = {
    "20261399-9999": "impossible-time",
    "00000000-0000": "impossible-time",
    "20260230-0930": "impossible-time",
    "20250229-0930": "impossible-time",
    "20260704-2460": "impossible-time",
    "20260704-2400": "impossible-time",
    "99991231-2359": "in-the-future",
    "99999999-9999": "impossible-time",
    "20240229-0930": "",
    "00010101-0000": "",
}


@pytest.mark.parametrize("stamp, flag", TIMES.items())
def test_a_time_that_does_not_exist_or_is_still_to_come_is_flagged(post: Post, stamp: str, flag: str) -> None:
    id = f"{stamp}-alpha-x"
    post.put(post.inbox / f"{id}.md", letter(id))
    assert post.listed(f"{id}.md")["flags"] == [flag] * bool(flag)
    shown = post.inside("read", "beta", id, "--json").json["flags"]
    assert shown == [flag] * (flag == "impossible-time")


def test_an_id_that_contradicts_the_name_is_flagged_in_every_view_and_a_missing_one_in_none(
    post: Post,
) -> None:
    for id, said in (
        ("20260705-0930-alpha-none", ""),
        ("20260705-0930-alpha-other", "20260705-0930-alpha-x"),
    ):
        post.put(post.inbox / f"{id}.md", letter(said, thread="both"))
        flags = ["id-mismatch"] * bool(said)
        assert post.listed(f"{id}.md")["flags"] == flags
        assert post.inside("read", "beta", id, "--json").json["flags"] == flags
    thread = post.inside("thread", "beta", "both", "--json").json["messages"]
    assert [one["flags"] for one in thread] == [[], ["id-mismatch"]]


def test_hidden_entries_are_not_mail(post: Post) -> None:
    for name in HIDDEN:
        post.put(post.inbox / name, letter("x"))
    (post.inbox / ".directory").mkdir()
    assert post.run("check", "beta").lines[0].startswith("beta: 1 waiting")


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", ["20260705-0000-alpha-x.md", "\x1b[2J\udcff.md", "new"])
def test_an_entry_that_is_not_a_file_is_listed_and_never_opened(post: Post, kind: str, name: str) -> None:
    plant(kind, post.inbox / name)
    with post.untouched():
        begun = time.monotonic()
        ran = post.inside("check", "beta")
        assert time.monotonic() - begun < 1
    assert (ran.code, ran.trouble) == (0, "")
    assert clean(ran.stdout).startswith("beta: 2 waiting")
    assert "root:" not in ran.out
    assert "not-a-regular-file" in str(post.listed(name)["flags"])


def test_a_process_lists_entries_that_are_not_files_without_blocking(post: Post) -> None:
    for number, kind in enumerate(ODD):
        plant(kind, post.inbox / f"20260705-0000-alpha-{number}.md")
    with post.untouched():
        ran = post.run("check", "beta", timeout=5)
    assert (ran.code, ran.err, ran.out.count("not-a-regular-file")) == (0, "", len(ODD))


def test_a_directory_in_an_inbox_is_never_descended_into(post: Post) -> None:
    for folder in ("new", "cur", "20260705-0000-alpha-x.md"):
        (post.inbox / folder).mkdir()
        post.put(post.inbox / folder / "20260705-0000-alpha-deep.md", letter("20260705-0000-alpha-deep"))
    ran = post.inside("check", "beta")
    assert ran.lines[0].startswith("beta: 4 waiting")
    assert "deep" not in ran.out
    post.refuses(1, "read", "beta", "20260705-0000-alpha-deep")


def test_a_file_that_vanishes_after_the_listing_is_skipped(post: Post) -> None:
    for minute in range(3):
        id = f"20260705-000{minute}-alpha-x"
        post.put(post.inbox / f"{id}.md", letter(id))

    class Archived(Disk):
        """Between the listing and the first look, somebody archives one."""

        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "open" and args[0] == f"{WAITING}.md":
                (post.inbox / "20260705-0001-alpha-x.md").unlink(missing_ok=True)
            return super().invoke(op, function, *args, **kwargs)

    found = check(Call(Bus(str(post.bus), disk=Archived())), "beta")
    assert [entry["id"] for entry in found["messages"]] == [
        WAITING,
        "20260705-0000-alpha-x",
        "20260705-0002-alpha-x",
    ]
    assert found["unreadable"] == []


@pytest.mark.parametrize("folder", ["inbox", "."])
@pytest.mark.parametrize("kind", ["a symlink", "a symlink to nothing", "a file", "a FIFO"])
def test_a_folder_that_is_not_a_directory_is_an_error_and_never_empty(
    post: Post, folder: str, kind: str
) -> None:
    place = (post.bus / "beta" / folder).resolve()
    place.rename(post.root / "moved")
    moved = tree(post.root / "moved")
    if kind == "a symlink":
        place.symlink_to(post.root / "moved")
    elif kind == "a symlink to nothing":
        place.symlink_to("/nowhere")
    elif kind == "a file":
        place.write_text("")
    else:
        os.mkfifo(place)
    for words in (
        ["check", "beta"],
        ["send", "alpha", "beta", "hello"],
        ["archive", "beta", WAITING],
        ["unarchive", "beta", WAITING],
        ["read", "beta", WAITING],
    ):
        before = tree(post.bus / "beta")
        ran = post.inside(*words, stdin="text")
        assert ran.code in (1, 75), (words, ran)
        assert "no mail" not in ran.out
        the_line(ran)
        assert tree(post.bus / "beta") == before
    assert tree(post.root / "moved") == moved
    assert post.run("check", "beta").code == 75


def test_an_unreadable_archive_hides_no_waiting_message(post: Post) -> None:
    post.archive.rename(post.bus / "beta" / "elsewhere")
    post.archive.symlink_to(post.bus / "alpha")
    listed = post.run("check", "beta")
    assert listed.code == 0
    assert WAITING in listed.out


def test_a_subject_that_fills_a_header_does_not_fill_the_list(post: Post) -> None:
    text = f"---\nfrom: alpha\nto: beta\nsubject: {'x' * 3000}\n---\nbody\n"
    post.put(post.inbox / "20260704-0930-alpha-long.md", text.encode())
    listed = post.run("check", "beta").out
    assert "x" * 500 + "…" in listed
    assert "x" * 501 not in listed
