"""Files that a prune never touches, and invalid numbers of days."""

from __future__ import annotations

import os

import pytest

from tests.corpus.post import Post, clean

OLD = "20200101-0000-alpha-x"


KEPT = {
    "notes": "notes.md",
    "a file that somebody keeps": "keep.md.gz",
    "a backup": f"{OLD}.md.gz.bak",
    "an editor's copy": f"{OLD}.md~",
    "another ending": f"{OLD}.txt",
    "no ending": OLD,
    "capitals in the ending": f"{OLD}.MD.GZ",
    "a date without a minute": "20200101-alpha-x.md.gz",
    "a minute of three digits": "20200101-000-alpha-x.md.gz",
    "a date with dashes": "2020-01-01-0000-alpha-x.md.gz",
    "nothing behind the minute": "20200101-0000.md.gz",
    "a dash behind the minute": "20200101-0000-.md.gz",
    "Arabic digits": "٢٠٢٠٠١٠١-٠٠٠٠-alpha-x.md.gz",
    "a space": "20200101-0000-alpha-x y.md.gz",
    "a newline": "20200101-0000-alpha-x\n.md.gz",
    "a newline behind": "20200101-0000-alpha-x.md.gz\n",
    "an escape": "20200101-0000-alpha-\x1b[2J.md.gz",
    "bytes that are not UTF-8": "20200101-0000-alpha-\udcff.md.gz",
    "a conflicted copy": "20200101-0000-alpha-x (conflicted copy).md.gz",
    "a hidden name": f".{OLD}.md.gz",
    "a name in front": f"x{OLD}.md.gz",
}


@pytest.mark.parametrize("folder", ["archive", "sent"])
def test_a_prune_never_touches_files_not_named_like_messages(post: Post, folder: str) -> None:
    place = post.bus / "beta" / folder
    place.mkdir(mode=0o700, exist_ok=True)
    for name in KEPT.values():
        post.put(place / name, b"mine", days_old=3000)
    gone = post.put(place / f"{OLD}.md", b"", days_old=3000)
    before = {path.name for path in place.iterdir()}
    ran = post.run("prune", "beta", "1")
    assert (ran.code, ran.trouble) == (0, "")
    assert clean(ran.stdout).splitlines() == [
        f"removed beta/{folder}/{OLD}.md",
        "beta: removed 1 older than 1 days",
    ]
    assert {path.name for path in place.iterdir()} == before - {gone.name}


def test_a_prune_never_touches_the_inbox_the_staging_or_another_mailbox(post: Post) -> None:
    for place in (
        post.inbox,
        post.bus / "beta" / "tmp",
        post.bus / "beta",
        post.bus,
        post.bus / "alpha" / "archive",
    ):
        post.put(place / f"{OLD}.md", b"", days_old=3000)
        post.put(place / f"{OLD}.md.gz", b"", days_old=3000)
    with post.untouched():
        assert post.run("prune", "beta", "1").out == "beta: removed 0 older than 1 days\n"


@pytest.mark.parametrize("kind", ["a symlink", "a symlink to nothing", "a FIFO", "a directory"])
def test_a_prune_leaves_entries_that_are_not_files_and_their_targets(post: Post, kind: str) -> None:
    secret = post.put(post.root / "id_rsa", b"secret", days_old=3000)
    odd = post.archive / f"{OLD}.md.gz"
    if kind == "a symlink":
        odd.symlink_to(secret)
    elif kind == "a symlink to nothing":
        odd.symlink_to("/nowhere")
    elif kind == "a FIFO":
        os.mkfifo(odd)
    else:
        odd.mkdir()
    os.utime(odd, (0, 0), follow_symlinks=False)
    with post.untouched():
        for run in (post.inside, post.run):
            assert run("prune", "beta", "1").out == "beta: removed 0 older than 1 days\n"


@pytest.mark.parametrize("folder", ["archive", "sent"])
@pytest.mark.parametrize("kind", ["a symlink", "a symlink to nothing", "a file", "a FIFO"])
def test_a_prune_removes_nothing_if_a_folder_is_not_a_directory(post: Post, folder: str, kind: str) -> None:
    (post.bus / "beta" / "sent").mkdir(mode=0o700)
    for place in (post.archive, post.bus / "beta" / "sent"):
        post.put(place / f"{OLD}.md.gz", b"", days_old=3000)
    place = post.bus / "beta" / folder
    place.rename(post.root / "moved")
    if kind == "a symlink":
        place.symlink_to(post.root / "moved")
    elif kind == "a symlink to nothing":
        place.symlink_to("/nowhere")
    elif kind == "a file":
        place.write_text("")
    else:
        os.mkfifo(place)
    line = post.refuses(1, "prune", "beta", "1")
    assert "is not a directory of the mailbox; nothing was removed" in line
    post.refuses(1, "prune", "beta", "1", run=post.run)


def test_a_prune_removes_only_our_name_of_a_hard_linked_file(post: Post) -> None:
    file = post.put(post.archive / f"{OLD}.md.gz", b"whole", days_old=3000)
    os.link(file, post.root / "kept")
    assert post.run("prune", "beta", "1").code == 0
    assert not file.exists()
    assert (post.root / "kept").read_bytes() == b"whole"


def test_a_file_from_the_future_is_kept(post: Post) -> None:
    post.put(post.archive / f"{OLD}.md.gz", b"", days_old=-3000)
    with post.untouched():
        assert post.run("prune", "beta", "1").code == 0


def test_a_dry_run_lists_the_files_and_removes_nothing(post: Post) -> None:
    post.put(post.archive / f"{OLD}.md.gz", b"", days_old=3000)
    with post.untouched():
        ran = post.run("prune", "beta", "1", "--dry-run")
    assert ran.lines == [f"would remove beta/archive/{OLD}.md.gz", "beta: would remove 1 older than 1 days"]


BAD_DAYS = [
    "0",
    "-1",
    "1e9",
    "1e3",
    "60d",
    "",
    " ",
    " 60",
    "60 ",
    "60\n",
    "nan",
    "inf",
    "0x10",
    "1.5",
    "1_000",
    "+60",
    "36501",
    "9" * 21,
    "٦٠",
    "６０",
    "off",
    "all",
    "\x1b[2J",
    "\udcff",
    "x" * 100_000,
    "$((60))",
]


@pytest.mark.parametrize("days", BAD_DAYS)
def test_an_invalid_number_of_days_removes_nothing(post: Post, days: str) -> None:
    post.put(post.archive / f"{OLD}.md.gz", b"", days_old=3000)
    words = ["prune", "--", "beta", days] if days.startswith("-") else ["prune", "beta", days]
    assert "nothing was removed" in post.refuses(2, *words)
    post.refuses(2, *words, "--dry-run") if words[1] != "--" else None


@pytest.mark.parametrize("days", ["0", "٦٠", "60d", "-1"])
def test_a_process_removes_nothing_for_an_invalid_number_of_days(post: Post, days: str) -> None:
    post.put(post.archive / f"{OLD}.md.gz", b"", days_old=3000)
    post.refuses(2, "prune", "beta", days, run=post.run)


@pytest.mark.parametrize("days", ["1", "60", "060", "36500", "00001"])
def test_plain_digits_are_a_number_of_days(post: Post, days: str) -> None:
    assert post.inside("prune", "beta", days).out == f"beta: removed 0 older than {int(days)} days\n"
