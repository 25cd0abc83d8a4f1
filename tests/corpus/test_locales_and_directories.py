"""Locales that are not UTF-8 and current directories that are gone or odd: the same bus, the same words."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.corpus.post import Post
from tests.support.cli import trouble_in


@pytest.fixture(scope="session")
def latin_1(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """A Latin-1 locale, made here: it needs no installation. Empty where it cannot be made."""
    place = tmp_path_factory.mktemp("locale")
    subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1", place / "latin"], capture_output=True)
    return {"LC_ALL": "latin", "LOCPATH": str(place)} if (place / "latin").is_dir() else {}


@pytest.fixture(
    params=["C", "C without UTF-8", "POSIX", "one that is not there", "Latin-1", "PYTHONIOENCODING"]
)
def locale(request: pytest.FixtureRequest) -> dict[str, str | None]:
    """Variables of a locale that is not UTF-8, or that Python would not take for it."""
    plain: dict[str, dict[str, str | None]] = {
        "C": {"LC_ALL": "C"},
        "C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        "POSIX": {"LC_ALL": None, "LANG": "POSIX"},
        "one that is not there": {"LC_ALL": "xx_XX.UTF-8"},
        "PYTHONIOENCODING": {"PYTHONIOENCODING": "ascii:strict"},
    }
    found: dict[str, str | None] = plain.get(request.param) or request.getfixturevalue("latin_1")
    if not found:
        pytest.skip("localedef cannot make a Latin-1 locale here")
    return found


def test_every_locale_sees_the_same_bus(post: Post, locale: dict[str, str | None]) -> None:
    bus = post.bus.rename(post.root / "巴士")
    workdir = post.root / "项目 é"
    workdir.mkdir()
    env = {**locale, "AGENT_MAIL_DIR": str(bus)}
    ran = post.run("register", "gamma", workdir.name, "职责 é", env=env, cwd=post.root)
    assert (ran.code, ran.trouble) == (0, "")
    assert f"| gamma | {workdir} | 职责 é |" in (bus / "registry.md").read_text()
    ran = post.run("send", "alpha", "gamma", "hello", "主题 é", env=env, stdin="正文 é\n")
    assert (ran.code, ran.trouble) == (0, "")
    assert "\nsubject: 主题 é\n" in (bus / "gamma" / "inbox" / f"{ran.out.strip()}.md").read_text()
    ran = post.run("check", env=env, cwd=workdir)
    assert (ran.code, ran.trouble) == (0, "")
    assert ran.lines[0] == f"gamma: 1 waiting, oldest first ({bus}/gamma/inbox)"
    assert ran.lines[1].endswith("主题 é")
    assert "正文 é" in post.run("read", ran.lines[1].split()[0], env=env, cwd=workdir).out
    assert f"gamma  {workdir}  职责 é" in post.run("roster", env=env).lines


def test_every_locale_refuses_in_the_same_words(post: Post, locale: dict[str, str | None]) -> None:
    line = post.refuses(2, "check", "团队\udcff", env=locale, run=post.run)
    assert "'团队\\u{dcff}' is not an identity" in line
    post.refuses(2, "send", "alpha", "beta", "hello", "--body-file", "团队", env=locale, run=post.run)
    post.refuses(2, "chekc", "团队", env=locale, run=post.run)


def test_every_locale_prints_help(post: Post, locale: dict[str, str | None]) -> None:
    ran = post.run("send", "-h", env=locale)
    assert (ran.code, ran.trouble) == (0, "")
    assert "--priority" in ran.out


@contextmanager
def in_a_deleted_directory(post: Post) -> Iterator[None]:
    """A current directory that is gone; processes started here inherit it."""
    gone = post.root / "gone"
    gone.mkdir()
    before = os.getcwd()
    os.chdir(gone)
    shutil.rmtree(gone)
    try:
        yield
    finally:
        os.chdir(before)


def here(post: Post, *words: str, **variables: str | None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        post.run.command(*words),
        env=post.run.environment(**variables),
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )


def test_a_deleted_current_directory_matters_only_where_it_is_asked_for(post: Post) -> None:
    (post.desk / "b").write_text("text")
    with in_a_deleted_directory(post):
        for words in (
            ["check", "beta"],
            ["send", "alpha", "beta", "hello", "--body-file", str(post.desk / "b")],
            ["roster"],
            ["register", "gamma", "/tmp", "x"],
        ):
            done = here(post, *words)
            assert (done.returncode, trouble_in(done.stderr.decode())) == (0, ""), words
        assert here(post, "check", AGENT_MAIL_SELF="beta").returncode == 0
        for words in (
            ["check"],
            ["register", "gamma", ".", "a duty"],
            ["register", "gamma", "desk", "a duty"],
        ):
            before = post.state()
            done = here(post, *words)
            assert (done.returncode, done.stdout) == (75, b""), words
            assert done.stderr.startswith(b"agentmail: the current directory cannot be read: "), done
            assert done.stderr.count(b"\n") == 1
            assert post.state() == before


def test_a_current_directory_with_a_hostile_name_is_shown_in_full(post: Post) -> None:
    for name in ("\x1b[2J", "\u202e", "\udcff", "a\nb"):
        place = post.root / name
        place.mkdir()
        line = post.refuses(3, "check", cwd=place, run=post.run)
        assert "no identity is registered for" in line
        if name != "\u202e":  # legal in a line of text, and written out wherever it is shown
            post.refuses(2, "register", "gamma", ".", "a duty", cwd=place)
