"""Variables of the environment with bad values: refused by name, or of no effect."""

from __future__ import annotations

import os

import pytest

from tests.corpus.post import WAITING, Post, clean, the_line

BAD_SELVES = [
    "Beta",
    "../evil",
    "a b",
    "beta\n",
    "@beta",
    "inbox",
    "beta,alpha",
    "\x1b[2J",
    "\udcff",
    "x" * 33,
]


@pytest.mark.parametrize("me", BAD_SELVES)
def test_a_bad_AGENT_MAIL_SELF_is_refused_by_name(post: Post, me: str) -> None:
    for words in (
        ["check"],
        ["read", WAITING],
        ["reply", WAITING],
        ["archive", WAITING],
        ["unarchive", WAITING],
    ):
        line = post.refuses(2, *words, env={"AGENT_MAIL_SELF": me}, cwd=post.desk, stdin="text")
        assert "AGENT_MAIL_SELF" in line


def test_an_identity_in_words_counts_more_than_AGENT_MAIL_SELF(post: Post) -> None:
    post.refuses(2, "check", env={"AGENT_MAIL_SELF": "../evil"}, run=post.run)
    assert post.run("check", "beta", env={"AGENT_MAIL_SELF": "../evil"}).code == 0
    assert post.run("check", env={"AGENT_MAIL_SELF": "beta"}).lines[0].startswith("beta: 1 waiting")
    assert "nobody called gamma" in post.refuses(3, "check", env={"AGENT_MAIL_SELF": "gamma"}, run=post.run)


def test_an_empty_AGENT_MAIL_SELF_counts_as_unset(post: Post) -> None:
    line = post.refuses(3, "check", env={"AGENT_MAIL_SELF": ""}, cwd=post.desk, run=post.run)
    assert "no identity is registered for" in line


BAD_RETENTIONS = [
    "abc",
    "",
    "0",
    "-1",
    "1e3",
    "60d",
    "6 0",
    " 60",
    "٦٠",
    "nan",
    "36501",
    "9" * 21,
    "60\n",
    "\udcff",
    "OFF",
]


@pytest.mark.parametrize("days", BAD_RETENTIONS)
def test_with_a_bad_retention_archiving_works_and_nothing_is_pruned(post: Post, days: str) -> None:
    old = post.put(post.archive / "20200101-0000-alpha-x.md.gz", b"", days_old=3000)
    ran = post.inside("archive", "beta", WAITING, env={"AGENT_MAIL_RETENTION_DAYS": days})
    assert (ran.code, ran.out) == (0, f"archived {WAITING}\n")
    assert "warning: AGENT_MAIL_RETENTION_DAYS" in clean(ran.stderr)
    assert ran.err.count("\n") == 1
    assert old.exists()
    line = post.refuses(2, "prune", "beta", env={"AGENT_MAIL_RETENTION_DAYS": days})
    assert "AGENT_MAIL_RETENTION_DAYS" in line
    assert "nothing was removed" in line


def test_a_process_with_a_bad_retention_archives_and_warns(post: Post) -> None:
    old = post.put(post.archive / "20200101-0000-alpha-x.md.gz", b"", days_old=3000)
    ran = post.run("archive", "beta", WAITING, env={"AGENT_MAIL_RETENTION_DAYS": "abc"})
    assert (ran.code, old.exists()) == (0, True)
    post.refuses(2, "prune", "beta", env={"AGENT_MAIL_RETENTION_DAYS": "abc"}, run=post.run)
    ran = post.run("prune", "beta", "60", env={"AGENT_MAIL_RETENTION_DAYS": "abc"})
    assert (ran.code, old.exists()) == (0, False)


def test_retention_off_prunes_nothing_by_itself(post: Post) -> None:
    old = post.put(post.archive / "20200101-0000-alpha-x.md.gz", b"", days_old=3000)
    ran = post.inside("archive", "beta", WAITING, env={"AGENT_MAIL_RETENTION_DAYS": "off"})
    assert (ran.code, ran.err, old.exists()) == (0, "", True)


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_retention_off_refuses_a_prune_without_days(post: Post, dry: list[str]) -> None:
    old = post.put(post.archive / "20200101-0000-alpha-x.md.gz", b"", days_old=3000)
    off: dict[str, str | None] = {"AGENT_MAIL_RETENTION_DAYS": "off"}
    with post.untouched():
        line = post.refuses(2, "prune", "beta", *dry, env=off)
        post.refuses(2, "prune", "beta", *dry, env=off, run=post.run)
    assert "AGENT_MAIL_RETENTION_DAYS is off" in line
    assert "`agentmail prune beta 60`" in line
    ran = post.run("prune", "beta", "60", *dry, env=off)
    assert (ran.code, old.exists()) == (0, bool(dry))


@pytest.mark.parametrize("days", BAD_RETENTIONS)
def test_an_error_about_the_retention_names_off(post: Post, days: str) -> None:
    assert "or to off" in post.refuses(2, "prune", "beta", env={"AGENT_MAIL_RETENTION_DAYS": days})


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_modes_do_not_depend_on_the_umask(post: Post, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert post.run("register", "gamma", "/tmp", "a duty").code == 0
        sent = post.run("send", "alpha", "gamma", "hello", stdin="text").out.strip()
        assert post.run("archive", "gamma", sent).code == 0
    finally:
        os.umask(before)
    for path in [post.bus / "gamma", *(post.bus / "gamma").rglob("*"), post.bus / ".registry.lock"]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_odd_variables_of_python_and_typer_change_nothing(post: Post) -> None:
    odd = {
        "TERMINAL_WIDTH": "x",
        "COLUMNS": "-1",
        "LINES": "x",
        "FORCE_COLOR": "1",
        "TERM": "\x1b[2J",
        "PWD": "/nowhere",
        "OLDPWD": "",
    }
    ran = post.run("check", "beta", "--json", env=dict(odd))
    assert (ran.code, ran.err, ran.json["count"]) == (0, "", 1)
    the_line(post.run("check", "beta", "--colour", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}))
