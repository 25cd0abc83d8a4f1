"""The registry that people edit too: whatever is in it, every byte outside the touched row stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus.post import Post, clean, the_line
from tests.support.trees import tree

HEAD = "| id | workdir | responsibility |\n|---|---|---|\n"


#: Registries that people made, and how the row of a newcomer stands in them.
MADE = {
    "a Chinese heading": (
        "| 身份 | 工作目录 | 职责 |\n|---|---|---|\n| beta | /b | x |\n",
        "| gamma | /tmp | a duty |\n",
    ),
    "another order": (
        "| responsibility | id | workdir |\n|:--|:-:|--:|\n| x | beta | /b |\n",
        "| a duty | gamma | /tmp |\n",
    ),
    "more columns": (
        "| since | id | host | workdir | responsibility | note |\n|-|-|-|-|-|-|\n| 1 | beta | h | /b | x | n |\n",
        "|  | gamma |  | /tmp | a duty |  |\n",
    ),
    "CRLF": (HEAD.replace("\n", "\r\n") + "| beta | /b | x |\r\n", "| gamma | /tmp | a duty |\r\n"),
    "a BOM": ("\ufeff" + HEAD + "| beta | /b | x |\n", "| gamma | /tmp | a duty |\n"),
    "an indented table": (
        "  " + HEAD.replace("\n|", "\n  |") + "  | beta | /b | x |\n",
        "| gamma | /tmp | a duty |\n",
    ),
    "no pipe at the end": (
        "| id | workdir | responsibility\n|---|---|---\n| beta | /b | x\n",
        "| gamma | /tmp | a duty |\n",
    ),
    "short rows": (HEAD + "| beta |\n", "| gamma | /tmp | a duty |\n"),
    "a table without rows": (HEAD, "| gamma | /tmp | a duty |\n"),
}


@pytest.mark.parametrize("made, row", MADE.values(), ids=MADE)
@pytest.mark.parametrize("behind", ["", "\nprose | with a pipe\n\n| id | x |\n|---|---|\n| zeta | 1 |\n"])
def test_a_row_goes_into_the_first_table_and_every_other_byte_stays(
    post: Post, made: str, row: str, behind: str
) -> None:
    post.registry.write_bytes((made + behind).encode())
    ran = post.inside("register", "gamma", "/tmp", "a duty")
    assert (ran.code, ran.trouble) == (0, "")
    assert post.registry.read_bytes() == (made + row + behind).encode()
    with post.untouched():
        assert post.inside("register", "gamma", "/tmp", "a duty").out.startswith("unchanged")
    assert post.inside("register", "gamma", "/", "a duty").code == 0
    assert post.registry.read_bytes() == (made + row.replace("/tmp", "/") + behind).encode()


@pytest.mark.parametrize(
    "made, after",
    [
        (HEAD + "| beta | /b | x |", HEAD + "| beta | /b | x |\n| gamma | /tmp | a duty |"),
        ("# Us\n", f"# Us\n\n{HEAD}| gamma | /tmp | a duty |\n"),
        ("# Us", f"# Us\n\n{HEAD}| gamma | /tmp | a duty |\n"),
        ("", f"{HEAD}| gamma | /tmp | a duty |\n"),
        (
            "| name | x |\n|---|---|\n| beta | 1 |\n",
            f"| name | x |\n|---|---|\n| beta | 1 |\n\n{HEAD}| gamma | /tmp | a duty |\n",
        ),
        ("| id | workdir |\nno rule\n", f"| id | workdir |\nno rule\n\n{HEAD}| gamma | /tmp | a duty |\n"),
        (
            "\ufeff# Us\r\n",
            f"\ufeff# Us\r\n\r\n{HEAD}| gamma | /tmp | a duty |\n".replace("\n", "\r\n").replace(
                "\r\r", "\r"
            ),
        ),
    ],
)
def test_a_missing_table_is_added_and_an_unfinished_last_line_is_kept(
    post: Post, made: str, after: str
) -> None:
    post.registry.write_bytes(made.encode())
    assert post.run("register", "gamma", "/tmp", "a duty").code == 0
    assert post.registry.read_bytes() == after.encode()


def test_of_two_rows_with_one_id_the_first_counts_and_both_stay(post: Post) -> None:
    made = HEAD + "| gamma | /first | one |\n| gamma | /second | two |\n"
    post.registry.write_text(made)
    assert post.row("gamma")["workdir"] == "/first"
    assert post.inside("register", "gamma", "/tmp", "one").code == 0
    assert post.registry.read_text() == made.replace("/first", "/tmp")


@pytest.mark.parametrize(
    "identity",
    [
        "../evil",
        "/etc",
        "Beta",
        "",
        " ",
        "be ta",
        "tmp",
        "inbox",
        "\x1b[2J",
        "b\u202eeta",
        "团队",
        "a" * 33,
        "@beta",
        "20260704-0930",
        "`be ta`",
        "**beta**",
    ],
)
def test_a_row_that_names_no_identity_is_passed_over(post: Post, identity: str) -> None:
    post.registry.write_text(post.registry.read_text() + f"| {identity} | / | x |\n")
    with post.untouched():
        ran = post.inside("roster")
        assert post.inside("check", "beta").code == 0
        assert post.inside("check", cwd=post.desk).code == 3
    assert ran.code == 0
    assert [line.split("  ")[0] for line in clean(ran.stdout).splitlines()] == ["alpha", "beta"]
    assert not (post.root / "evil").exists()


@pytest.mark.parametrize(
    "workdir",
    ["", "-", "relative", "~", "/\x1b[2J", "/a\0b", "/" + "x" * 5000, "/\u202e", "/nowhere", "\\", "//"],
)
def test_a_row_with_any_workdir_does_no_harm(post: Post, workdir: str) -> None:
    post.registry.write_text(post.registry.read_text() + f"| gamma | {workdir} | \x1b[2J\u202e |\n")
    with post.untouched():
        for words in (["roster"], ["check", "beta"], ["roster", "--json"]):
            ran = post.inside(*words)
            assert (ran.code, ran.trouble) == (0, ""), (words, ran)
            clean(ran.stdout)
    ran = post.inside("check", cwd=post.desk)
    assert ran.code == (0 if workdir == "//" else 3), ran


def test_a_process_survives_rows_of_every_kind(post: Post) -> None:
    post.registry.write_text(
        post.registry.read_text()
        + "| gamma | /a\0b | \x1b[2J |\n| ../evil | /\udcff | x |\n".encode("utf-8", "ignore").decode()
    )
    with post.untouched():
        clean(post.run("roster").stdout)
        post.refuses(3, "check", cwd=post.desk, run=post.run)


UNSURE = {
    "a merge conflict": f"{HEAD}<<<<<<< ours\n| beta | /b | x |\n=======\n| beta | /c | y |\n>>>>>>> theirs\n".encode(),
    "half of a merge conflict": f"{HEAD}| beta | /b | x |\n>>>>>>> theirs\n".encode(),
    "bytes that are not UTF-8": HEAD.encode() + b"| beta | /\xff | x |\n",
    "binary": bytes(range(256)) * 10,
    "UTF-16": HEAD.encode("utf-16"),
    "more than 1 MiB": HEAD.encode() + b"x" * (1 << 20),
}


@pytest.mark.parametrize("data", UNSURE.values(), ids=UNSURE)
def test_a_malformed_registry_is_left_unchanged(post: Post, data: bytes) -> None:
    post.registry.write_bytes(data)
    line = post.refuses(2, "register", "gamma", "/tmp", "a duty")
    assert "registry.md " in line
    assert "it was left as it is" in line
    assert post.inside("check", "beta").code == 0
    assert post.inside("send", "alpha", "beta", "hello", stdin="text").code == 0


@pytest.mark.parametrize("name", ["a merge conflict", "bytes that are not UTF-8"])
def test_a_process_leaves_such_a_registry_as_it_is(post: Post, name: str) -> None:
    post.registry.write_bytes(UNSURE[name])
    post.refuses(2, "register", "gamma", "/tmp", "a duty", run=post.run)


@pytest.mark.parametrize("name", [name for name in UNSURE if "conflict" not in name])
def test_an_unreadable_registry_is_not_treated_as_empty(post: Post, name: str) -> None:
    post.registry.write_bytes(UNSURE[name])
    with post.untouched():
        ran = post.inside("roster")
    assert ran.code == 75
    assert "registry.md" in the_line(ran)
    assert [line.split("  ")[0] for line in ran.lines] == ["alpha", "beta"]  # from their mailboxes
    post.refuses(75, "check", cwd=post.desk)
    assert "registry.md" in post.refuses(3, "check", "gamma")


def test_a_registry_never_grows_beyond_what_can_be_read(post: Post) -> None:
    post.registry.write_bytes(post.registry.read_bytes() + b"\n" + b"x" * ((1 << 20) - 1000))
    line = post.refuses(2, "register", "gamma", "/tmp", "x" * 1500)
    assert "would grow over 1 MiB" in line


ODD = ["a directory", "a FIFO", "a symlink to nothing", "a symlink to itself", "a symlink to a directory"]


@pytest.mark.parametrize("kind", ODD)
def test_a_registry_that_is_not_a_file_is_an_error_and_never_empty(post: Post, kind: str) -> None:
    post.registry.unlink()
    if kind == "a directory":
        post.registry.mkdir()
    elif kind == "a FIFO":
        os.mkfifo(post.registry)
    else:
        target = {"a symlink to nothing": "/nowhere", "a symlink to itself": "registry.md"}.get(kind, "/tmp")
        post.registry.symlink_to(target)
    with post.untouched():
        ran = post.run("roster", timeout=5)
    assert ran.code == 75
    assert "registry.md" in the_line(ran)
    before = tree(post.root)
    ran = post.run("register", "gamma", "/tmp", "a duty", timeout=5)
    assert ran.code in (2, 75)
    the_line(ran)
    assert tree(post.root) == before


def test_a_symlinked_registry_is_changed_at_its_target(post: Post) -> None:
    target = post.registry.rename(post.root / "team.md")
    post.registry.symlink_to(target)
    assert post.run("register", "gamma", "/tmp", "a duty").code == 0
    assert Path(os.readlink(post.registry)) == target
    assert "| gamma | /tmp | a duty |" in target.read_text()


@pytest.mark.parametrize("kind", ["a file", "a symlink", "a symlink to nothing", "a FIFO"])
def test_a_name_that_is_taken_by_something_else_is_not_registered(post: Post, kind: str) -> None:
    place = post.bus / "gamma"
    if kind == "a file":
        place.write_text("mine")
    elif kind == "a FIFO":
        os.mkfifo(place)
    else:
        place.symlink_to(post.root if kind == "a symlink" else "/nowhere")
    before = tree(post.root)
    ran = post.run("register", "gamma", "/tmp", "a duty")
    assert (ran.code, ran.out) == (75, "")
    assert "the registry was left as it was" in the_line(ran)
    assert tree(post.root) == before


def test_a_mailbox_without_a_row_and_a_row_without_a_mailbox_are_marked(post: Post) -> None:
    (post.bus / "gamma").mkdir()
    (post.bus / "Not An Identity").mkdir()
    post.registry.write_text(post.registry.read_text() + "| delta | /tmp | x |\n")
    with post.untouched():
        lines = post.run("roster").lines
    assert "gamma  -  -  [no row]" in lines
    assert "delta  /tmp  x  [no mailbox]" in lines
    assert len(lines) == 4
