"""Damaged, huge, linked and otherwise odd archive entries are reported and left unchanged."""

from __future__ import annotations

import gzip
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from tests.corpus.post import ARCHIVED, WAITING, Post, letter, the_line
from tests.support.trees import tree

OLD = "20200101-0000-alpha-x"


def damaged(post: Post) -> dict[str, bytes]:
    whole = gzip.compress(letter(OLD), mtime=0)
    return {
        "nothing": b"",
        "half of it": whole[: len(whole) // 2],
        "its header": whole[:10],
        "all but the sum": whole[:-8],
        "all but a byte": whole[:-1],
        "another sum": whole[:-8] + b"\0" * 8,
        "text": letter(OLD),
        "a turned bit": whole[:40] + bytes([whole[40] ^ 0xFF]) + whole[41:],
        "garbage behind": whole + b"garbage",
        "a zip file": b"PK\x03\x04" + b"\0" * 100,
        "zeros": b"\0" * 1000,
    }


KINDS = [
    "nothing",
    "half of it",
    "its header",
    "all but the sum",
    "all but a byte",
    "another sum",
    "text",
    "a turned bit",
    "garbage behind",
    "a zip file",
    "zeros",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_archive_file_is_reported_and_left_unchanged(post: Post, kind: str) -> None:
    file = post.put(post.archive / f"{OLD}.md.gz", damaged(post)[kind])
    for words in (
        ["read", "beta", OLD],
        ["read", "beta", OLD, "--raw"],
        ["unarchive", "beta", OLD],
        ["reply", "beta", OLD],
    ):
        assert "is damaged" in post.refuses(1, *words, stdin="text")
    # A message of the same id is archived beside it, and what was there keeps its bytes.
    post.put(post.inbox / f"{OLD}.md", letter(OLD))
    ran = post.inside("archive", "beta", OLD, env={"AGENT_MAIL_RETENTION_DAYS": "off"})
    assert (ran.code, ran.out) == (0, f"archived {OLD}\n")
    assert f"this one is {OLD}.dup2.md.gz" in ran.err
    assert file.read_bytes() == damaged(post)[kind]
    assert gzip.decompress((post.archive / f"{OLD}.dup2.md.gz").read_bytes()) == letter(OLD)


def test_a_process_reports_a_damaged_archive_file(post: Post) -> None:
    for kind in ("half of it", "text"):
        post.put(post.archive / f"{OLD}.md.gz", damaged(post)[kind])
        post.refuses(1, "read", "beta", OLD, run=post.run)
        post.refuses(1, "unarchive", "beta", OLD, run=post.run)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_archive_file_is_pruned_by_its_age_like_any(post: Post, kind: str) -> None:
    file = post.put(post.archive / f"{OLD}.md.gz", damaged(post)[kind], days_old=59)
    assert post.inside("prune", "beta", "60").code == 0
    assert file.exists()
    assert post.inside("prune", "beta", "58").lines[0] == f"removed beta/archive/{OLD}.md.gz"
    assert not file.exists()


def bomb(size: int) -> bytes:
    """About 10 MB of gzip with `size` zeros in them, without making them."""
    block = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    part = block.compress(b"\0" * (10 << 20)) + block.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + part * (size // (10 << 20)) + b"\x03\x00" + b"\0" * 8


@pytest.mark.parametrize("kind", ["one member", "many members"])
def test_a_bomb_is_left_packed(post: Post, kind: str) -> None:
    ten_gigabytes = bomb(10 << 30) if kind == "one member" else gzip.compress(b"\0" * (100 << 20), 9) * 100
    post.put(post.archive / f"{OLD}.md.gz", ten_gigabytes)
    assert 9 << 20 < len(ten_gigabytes) < 20 << 20
    for words in (["read", "beta", OLD], ["unarchive", "beta", OLD]):
        begun = time.monotonic()
        # All the memory that it may ask for, the interpreter's own included.
        limited = ["bash", "-c", 'ulimit -v 160000; exec "$@"', "bash", *post.run.command(*words)]
        done = subprocess.run(limited, env=post.run.environment(), cwd=post.home, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1), done
        assert b"is damaged (more than 67108864 bytes in it)" in done.stderr
        assert time.monotonic() - begun < 10


def test_an_uncompressed_archive_file_is_read_unarchived_and_pruned(post: Post) -> None:
    post.put(post.archive / f"{OLD}.md", letter(OLD), days_old=100)
    assert post.run("read", "beta", OLD).lines[0] == f"beta: {OLD} (archive)"
    assert (
        post.run("archive", "beta", OLD, env={"AGENT_MAIL_RETENTION_DAYS": "off"}).out
        == f"already archived {OLD}\n"
    )
    assert post.run("unarchive", "beta", OLD).out == f"unarchived {OLD}\n"
    assert (post.inbox / f"{OLD}.md").read_bytes() == letter(OLD)
    assert not (post.archive / f"{OLD}.md").exists()
    post.put(post.archive / f"{OLD}-2.md", letter(OLD), days_old=100)
    assert post.run("prune", "beta").lines[0] == f"removed beta/archive/{OLD}-2.md"


def test_many_members_are_one_message(post: Post) -> None:
    data = letter(OLD)
    post.put(post.archive / f"{OLD}.md.gz", gzip.compress(data[:20]) + gzip.compress(data[20:]))
    assert post.run("read", "beta", OLD, "--raw").stdout == data


def test_with_an_odd_archive_folder_the_message_stays_in_the_inbox(post: Post) -> None:
    post.archive.rename(post.root / "moved")
    post.archive.symlink_to(post.root / "moved")
    before = tree(post.root)
    ran = post.run("archive", "beta", WAITING)
    assert (ran.code, ran.out) == (75, "")
    assert "the message is still in the inbox" in the_line(ran)
    assert tree(post.root) == before


def test_an_odd_entry_with_the_target_name_is_left_unchanged(post: Post) -> None:
    (post.archive / f"{WAITING}.md.gz").symlink_to(post.root / "target")
    ran = post.run("archive", "beta", WAITING)
    assert (ran.code, ran.out) == (0, f"archived {WAITING}\n")
    assert (post.archive / f"{WAITING}.dup2.md.gz").is_file()
    assert not (post.root / "target").exists()
    assert Path(post.archive / f"{ARCHIVED}.md.gz").is_file()
