"""Message ids as given on the command line: whole, with or without their endings, and never a path."""

from __future__ import annotations

import gzip
import time

import pytest

from tests.corpus.odd import ODD, plant
from tests.corpus.post import ALPHAS, ARCHIVED, NOBODYS, WAITING, Post, letter, the_line
from tests.support.trees import tree

#: Every place in a command line where a message id stands; {} is it.
DOORS = {
    "read": ("read", "beta", "{}"),
    "reply": ("reply", "beta", "{}", "subject"),
    "archive": ("archive", "beta", "{}"),
    "archive, among others": ("archive", "beta", WAITING, "{}"),
    "unarchive": ("unarchive", "beta", "{}"),
    "send --re": ("send", "beta", "alpha", "hello", "--re={}"),
}

BAD = {
    "nothing": "",
    "a space": " ",
    "a dot": ".",
    "two dots": "..",
    "a way out": f"../../alpha/inbox/{ALPHAS}",
    "a way out with an ending": f"../../alpha/inbox/{ALPHAS}.md",
    "another folder": f"../archive/{ARCHIVED}",
    "a path": f"inbox/{WAITING}",
    "an absolute path": "/etc/passwd",
    "a path of Windows": f"..\\inbox\\{WAITING}",
    "a star": "2026*",
    "a class": "[a-z]*",
    "a question mark": f"{WAITING[:-1]}?",
    "an ending alone": ".md",
    "the other ending alone": ".md.gz",
    "a hidden name": f".{WAITING}",
    "an underscore in front": f"_{WAITING}",
    "a trailing newline": f"{WAITING}\n",
    "a trailing newline behind the ending": f"{WAITING}.md\n",
    "two ids in one word": f"{WAITING} {ARCHIVED}",
    "a NUL": f"{WAITING}\0",
    "an escape": f"{WAITING}\x1b[31m",
    "a right-to-left override": f"{WAITING}\u202e",
    "a byte that is not UTF-8": f"{WAITING}\udcff",
    "Chinese": "20260704-0930-alpha-标准",
    "201 letters": "a" * 201,
    "100,000 letters": "a" * 100_000,
    "a file address": f"file:///{WAITING}",
}


def through(door: tuple[str, ...], id: str) -> list[str]:
    return [word.replace("{}", id) for word in door]


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_an_invalid_message_id_is_refused_by_every_command(post: Post, bad: str) -> None:
    for door in DOORS.values():
        assert "nothing was changed" in post.refuses(2, *through(door, bad), stdin="text")


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_process_refuses_an_invalid_message_id(post: Post, door: tuple[str, ...]) -> None:
    post.refuses(2, *through(door, f"../../alpha/inbox/{ALPHAS}"), run=post.run, stdin="text")
    post.refuses(2, *through(door, f"{WAITING}\udcff\x1b\n"), run=post.run, stdin="text")


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_an_id_with_a_dash_in_front_is_taken_for_an_option(post: Post, door: tuple[str, ...]) -> None:
    if door[0] != "send":
        post.refuses(2, *through(door, f"-{WAITING}"))
        command, *words = through(door, f"-{WAITING}")
        post.refuses(2, command, "--", *words)


@pytest.mark.parametrize("ending", ["", ".md", ".md.gz"])
@pytest.mark.parametrize("process", [False, True])
def test_an_id_is_taken_with_and_without_its_endings(post: Post, ending: str, process: bool) -> None:
    run = post.run if process else post.inside
    with post.untouched():
        assert run("read", "beta", WAITING + ending).lines[0] == f"beta: {WAITING} (inbox)"
        assert run("read", "beta", ARCHIVED + ending).lines[0] == f"beta: {ARCHIVED} (archive)"
    assert run("archive", "beta", WAITING + ending).out == f"archived {WAITING}\n"
    again = run("archive", "beta", WAITING + ending)
    assert (again.code, again.out, again.err) == (0, f"already archived {WAITING}\n", "")
    assert run("unarchive", "beta", WAITING + ending).out == f"unarchived {WAITING}\n"
    again = run("unarchive", "beta", WAITING + ending)
    assert (again.code, again.out, again.err) == (0, f"already waiting {WAITING}\n", "")
    assert (post.inbox / f"{WAITING}.md").read_bytes() == letter(WAITING)


@pytest.mark.parametrize(
    "door", [door for name, door in DOORS.items() if name not in ("send --re", "archive, among others")]
)
@pytest.mark.parametrize("process", [False, True])
def test_an_unknown_id_is_reported(post: Post, door: tuple[str, ...], process: bool) -> None:
    for id in (NOBODYS, ALPHAS, WAITING[:-1], WAITING + "-2", WAITING + ".txt"):
        line = post.refuses(1, *through(door, id), run=post.run if process else None, stdin="text")
        assert "no message " in line
        assert f"{id} in the " in line
        assert " of beta" in line


def test_one_missing_among_several_is_named_and_the_others_are_archived(post: Post) -> None:
    ran = post.run("archive", "beta", NOBODYS, WAITING, WAITING, ARCHIVED)
    assert ran.code == 1
    assert ran.lines == [f"archived {WAITING}", f"already archived {ARCHIVED}"]
    assert NOBODYS in the_line(ran)


def test_one_invalid_id_stops_the_whole_command(post: Post) -> None:
    post.refuses(2, "archive", "beta", WAITING, "2026*", run=post.run)


@pytest.mark.parametrize(
    "id",
    [
        "note",
        "Note_1.draft",
        "20260704-0930-Alpha_Beta.v2",
        "2026-07-04 x".replace(" ", "_"),
        "a" * 200,
        "x.md.md",
    ],
)
def test_names_of_other_programs_are_handled_like_ours(post: Post, id: str) -> None:
    name = f"{id.removesuffix('.md')}.md"
    post.put(post.inbox / name, b"by hand\n")
    assert post.inside("read", "beta", id).code == 0
    ran = post.inside("archive", "beta", id)
    assert (ran.code, ran.trouble) == (0, "")
    assert gzip.decompress((post.archive / f"{name}.gz").read_bytes()) == b"by hand\n"


@pytest.mark.parametrize("kind", ODD)
def test_an_entry_that_is_not_a_file_is_neither_archived_nor_read_nor_waited_for(
    post: Post, kind: str
) -> None:
    plant(kind, post.inbox / f"{NOBODYS}.md")
    for words in (
        ("archive", "beta", NOBODYS),
        ("read", "beta", NOBODYS),
        ("read", "beta", NOBODYS, "--raw"),
        ("reply", "beta", NOBODYS),
    ):
        begun = time.monotonic()
        assert "is not a regular file" in post.refuses(1, *words, stdin="text")
        assert time.monotonic() - begun < 1
    assert not list(post.archive.glob(f"{NOBODYS}*"))


@pytest.mark.parametrize("kind", ODD)
def test_a_process_skips_entries_that_are_not_files_and_archives_the_rest(post: Post, kind: str) -> None:
    plant(kind, post.inbox / f"{NOBODYS}.md")
    ran = post.run("archive", "beta", NOBODYS, WAITING, timeout=5)
    assert (ran.code, ran.out) == (1, f"archived {WAITING}\n")
    assert "is not a regular file" in the_line(ran)
    assert (post.inbox / f"{NOBODYS}.md").lstat()
    assert sorted(path.name for path in post.archive.iterdir()) == [f"{ARCHIVED}.md.gz", f"{WAITING}.md.gz"]


@pytest.mark.parametrize("kind", ODD)
def test_an_archive_entry_that_is_not_a_file_is_not_unarchived(post: Post, kind: str) -> None:
    plant(kind, post.archive / f"{NOBODYS}.md.gz")
    assert "is not a regular file" in post.refuses(1, "unarchive", "beta", NOBODYS)
    assert "is not a regular file" in post.refuses(1, "read", "beta", NOBODYS)


def test_an_empty_file_is_a_message_all_the_same(post: Post) -> None:
    post.put(post.inbox / f"{NOBODYS}.md", b"")
    assert post.listed(f"{NOBODYS}.md")["flags"] == ["empty-file"]
    assert post.run("archive", "beta", NOBODYS).out == f"archived {NOBODYS}\n"
    assert gzip.decompress((post.archive / f"{NOBODYS}.md.gz").read_bytes()) == b""


def test_a_message_of_100_MiB_is_refused_and_kept(post: Post) -> None:
    with (post.inbox / f"{NOBODYS}.md").open("wb") as huge:
        huge.truncate(100 << 20)
    for words in (("archive", "beta", NOBODYS), ("read", "beta", NOBODYS)):
        ran = post.run(*words, timeout=10)
        assert (ran.code, ran.out) == (2, "")
        assert "is larger than 64 MiB; it was left where it is" in the_line(ran)
    assert (post.inbox / f"{NOBODYS}.md").stat().st_size == 100 << 20
    assert [path.name for path in post.archive.iterdir()] == [f"{ARCHIVED}.md.gz"]


def test_unarchive_needs_a_free_name_in_the_inbox(post: Post) -> None:
    post.put(post.archive / f"{WAITING}.md.gz", gzip.compress(b"another"))
    before = tree(post.root)
    ran = post.run("unarchive", "beta", WAITING)
    assert (ran.code, ran.out) == (1, "")
    assert "both were left as they are" in the_line(ran)
    assert tree(post.root) == before


@pytest.mark.parametrize("kind", ODD)
def test_a_sent_entry_that_is_not_a_file_is_not_read(post: Post, kind: str) -> None:
    (post.bus / "beta" / "sent").mkdir(mode=0o700)
    plant(kind, post.bus / "beta" / "sent" / f"{NOBODYS}.md")
    for words in (("read", "beta", NOBODYS), ("reply", "beta", NOBODYS)):
        assert "is not a regular file" in post.refuses(1, *words, stdin="text")


def test_a_message_in_inbox_and_archive_is_flagged_until_it_is_archived(post: Post) -> None:
    post.put(post.archive / f"{WAITING}.md.gz", gzip.compress(letter(WAITING)))
    assert post.listed(f"{WAITING}.md")["flags"] == ["already-archived"]
    assert post.run("archive", "beta", WAITING).out == f"archived {WAITING}\n"
    assert not (post.inbox / f"{WAITING}.md").exists()
    assert sorted(path.name for path in post.archive.iterdir()) == [f"{ARCHIVED}.md.gz", f"{WAITING}.md.gz"]
