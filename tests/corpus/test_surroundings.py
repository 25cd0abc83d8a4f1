"""The environment a call finds itself in: variables, locale, current directory, and what stands in the bus's place."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.corpus.post import WAITING, Post, clean, the_line

#: One call of every command that opens the bus; none of them would change it if it were right.
CALLS = [
    ["send", "alpha", "beta", "hello"],
    ["check", "beta"],
    ["read", "beta", WAITING],
    ["reply", "beta", WAITING],
    ["archive", "beta", WAITING],
    ["unarchive", "beta", WAITING],
    ["prune", "beta"],
    ["roster"],
]
REGISTER = ["register", "gamma", "/tmp", "a duty"]

RELATIVE = {
    "relative": "bus",
    "empty": "",
    "a dot": ".",
    "a way up": "../bus",
    "a home": "~",
    "under a home": "~/mail",
    "a variable": "$HOME/mail",
    "an address": "file:///tmp",
    "spaces": "  ",
    "a space in front": " /tmp",
    "an escape": "\x1b[2J",
    "a newline": "\n/tmp",
    "bytes that are not UTF-8": "\udcff",
    "100,000 letters": "x" * 100_000,
}


@pytest.mark.parametrize("path", RELATIVE.values(), ids=RELATIVE)
def test_a_bus_that_is_no_absolute_path_is_refused(post: Post, path: str) -> None:
    for words in [*CALLS, REGISTER]:
        line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": path}, cwd=post.root, stdin="text")
        assert "AGENT_MAIL_DIR is '" in line
        assert "not an absolute path; nothing was changed" in line


@pytest.mark.parametrize("name", ["relative", "empty", "under a home", "an escape"])
def test_a_process_refuses_such_a_bus(post: Post, name: str) -> None:
    post.refuses(2, *CALLS[0], env={"AGENT_MAIL_DIR": RELATIVE[name]}, cwd=post.root, run=post.run, stdin="text")


@pytest.mark.parametrize("words", [*CALLS, REGISTER])
def test_without_a_home_the_bus_must_be_given(post: Post, words: list[str]) -> None:
    for home in (None, "", "home", "~"):
        line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": None, "HOME": home}, stdin="text")
        assert "HOME is not set to an absolute path; nothing was changed; set HOME or AGENT_MAIL_DIR" in line


def test_a_process_without_a_home_says_so_and_with_a_bus_needs_none(post: Post) -> None:
    post.refuses(2, "check", "beta", env={"AGENT_MAIL_DIR": None, "HOME": None}, run=post.run)
    for words in (["check", "beta"], ["roster"]):
        assert post.run(*words, env={"HOME": None}).code == 0
    assert post.run(*REGISTER, env={"HOME": None}).code == 0


def test_without_a_variable_the_bus_is_in_the_home_directory(post: Post) -> None:
    post.refuses(3, "check", "beta", env={"AGENT_MAIL_DIR": None}, run=post.run)
    assert post.run(*REGISTER, env={"AGENT_MAIL_DIR": None}).code == 0
    assert (post.home / ".agents" / "mail" / "gamma" / "inbox").is_dir()
    for part in (".agents", ".agents/mail", ".agents/mail/gamma", ".agents/mail/gamma/tmp"):
        assert (post.home / part).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("words", CALLS, ids=lambda words: words[0])
def test_a_bus_that_is_not_there_is_not_made_by_looking(post: Post, words: list[str]) -> None:
    line = post.refuses(3, *words, env={"AGENT_MAIL_DIR": str(post.root / "none")}, stdin="text")
    assert f"there is no bus at {post.root}/none; nothing was changed; `agentmail register" in line


def test_a_process_does_not_make_a_bus_by_looking(post: Post) -> None:
    for words in CALLS[:2]:
        post.refuses(3, *words, env={"AGENT_MAIL_DIR": str(post.root / "none")}, run=post.run, stdin="text")


def test_a_bus_is_made_where_its_parent_is_and_never_a_whole_path(post: Post) -> None:
    line = post.refuses(2, *REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "a" / "b")}, run=post.run)
    assert "set AGENT_MAIL_DIR to a path whose parent exists" in line
    assert post.run(*REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "a")}).code == 0
    assert sorted(path.name for path in (post.root / "a").iterdir()) == [".registry.lock", "gamma", "registry.md"]


def test_a_bus_in_the_place_of_a_file_is_refused(post: Post) -> None:
    (post.root / "file").write_text("mine\n")
    os.mkfifo(post.root / "pipe")
    for place in ("file", "file/bus", "pipe", "pipe/bus"):
        for words in [*CALLS, REGISTER]:
            line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": str(post.root / place)}, stdin="text")
            assert "is not a directory" in line
    post.refuses(2, *REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "file")}, run=post.run)
    post.refuses(2, "check", "beta", env={"AGENT_MAIL_DIR": str(post.root / "file")}, run=post.run)


@pytest.mark.parametrize("words", [*CALLS, REGISTER], ids=lambda words: words[0])
def test_a_bus_whose_name_leads_nowhere_is_said_so(post: Post, words: list[str]) -> None:
    (post.root / "loop").symlink_to("loop")
    (post.root / "gone").symlink_to("nowhere/at/all")
    for place, code in (("loop", 2), ("x" * 300, 2), ("y/" * 3000, 2), ("gone", 2 if words is REGISTER else 3)):
        line = post.refuses(code, *words, env={"AGENT_MAIL_DIR": str(post.root / place)}, stdin="text")
        assert "nothing was changed" in line


@pytest.mark.parametrize("name", ["bus/", "bus//", "./bus", "home/../bus", "with spaces", "a link", "巴士", "\udcff", "\x1b[2J"])
def test_the_same_bus_by_another_name(post: Post, name: str) -> None:
    if not name.rstrip("/").endswith("bus"):
        (post.root / name).symlink_to("bus")
    ran = post.run("check", "beta", env={"AGENT_MAIL_DIR": f"{post.root}/{name}"})
    assert (ran.code, ran.err) == (0, "")
    assert WAITING in clean(ran.stdout)
    ran = post.inside("send", "alpha", "beta", "hello", env={"AGENT_MAIL_DIR": f"{post.root}/{name}"}, stdin="text")
    assert (post.inbox / f"{ran.out.strip()}.md").is_file()
    assert post.inside(*REGISTER, env={"AGENT_MAIL_DIR": f"{post.root}/{name}"}).code == 0
    assert "| gamma | /tmp | a duty |" in post.registry.read_text()


BAD_SELVES = ["Beta", "../evil", "a b", "beta\n", "@beta", "inbox", "beta,alpha", "\x1b[2J", "\udcff", "x" * 33]


@pytest.mark.parametrize("me", BAD_SELVES)
def test_a_bad_AGENT_MAIL_SELF_is_refused_by_name(post: Post, me: str) -> None:  # noqa: N802
    for words in (["check"], ["read", WAITING], ["reply", WAITING], ["archive", WAITING], ["unarchive", WAITING]):
        line = post.refuses(2, *words, env={"AGENT_MAIL_SELF": me}, cwd=post.desk, stdin="text")
        assert "AGENT_MAIL_SELF" in line


def test_an_identity_in_words_counts_more_than_AGENT_MAIL_SELF(post: Post) -> None:  # noqa: N802
    post.refuses(2, "check", env={"AGENT_MAIL_SELF": "../evil"}, run=post.run)
    assert post.run("check", "beta", env={"AGENT_MAIL_SELF": "../evil"}).code == 0
    assert post.run("check", env={"AGENT_MAIL_SELF": "beta"}).lines[0].startswith("beta: 1 waiting")
    assert "nobody called gamma" in post.refuses(3, "check", env={"AGENT_MAIL_SELF": "gamma"}, run=post.run)


def test_an_empty_AGENT_MAIL_SELF_is_none(post: Post) -> None:  # noqa: N802
    line = post.refuses(3, "check", env={"AGENT_MAIL_SELF": ""}, cwd=post.desk, run=post.run)
    assert "no identity is registered for" in line


BAD_RETENTIONS = ["abc", "", "0", "-1", "1e3", "60d", "6 0", " 60", "٦٠", "nan", "36501", "9" * 21, "60\n", "\udcff", "OFF"]


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


def latin_1(place: Path) -> dict[str, str | None]:
    """A Latin-1 locale, made here: it needs no installation."""
    made = subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(place / "latin")], capture_output=True)
    if not (place / "latin").is_dir():
        pytest.skip(f"localedef cannot make a Latin-1 locale here: {made.stderr.decode()}")
    return {"LC_ALL": "latin", "LOCPATH": str(place)}


@pytest.fixture(params=["C", "C without UTF-8", "POSIX", "one that is not there", "Latin-1", "PYTHONIOENCODING"])
def locale(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """Variables of a locale that is not UTF-8, or that Python would not take for it."""
    plain: dict[str, dict[str, str | None]] = {
        "C": {"LC_ALL": "C"},
        "C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        "POSIX": {"LC_ALL": None, "LANG": "POSIX"},
        "one that is not there": {"LC_ALL": "xx_XX.UTF-8"},
        "PYTHONIOENCODING": {"PYTHONIOENCODING": "ascii:strict"},
    }
    return plain[request.param] if request.param in plain else latin_1(tmp_path_factory.mktemp("locale"))


def test_every_locale_sees_the_same_bus(post: Post, locale: dict[str, str | None]) -> None:
    bus = post.bus.rename(post.root / "巴士")
    workdir = post.root / "项目 é"
    workdir.mkdir()
    env = {**locale, "AGENT_MAIL_DIR": str(bus)}
    ran = post.run("register", "gamma", workdir.name, "职责 é", env=env, cwd=post.root)
    assert (ran.code, ran.err) == (0, "")
    assert f"| gamma | {workdir} | 职责 é |" in (bus / "registry.md").read_text()
    ran = post.run("send", "alpha", "gamma", "hello", "主题 é", env=env, stdin="正文 é\n")
    assert (ran.code, ran.err) == (0, "")
    assert "\nsubject: 主题 é\n" in (bus / "gamma" / "inbox" / f"{ran.out.strip()}.md").read_text()
    ran = post.run("check", env=env, cwd=workdir)
    assert (ran.code, ran.err) == (0, "")
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
    assert (ran.code, ran.err) == (0, "")
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
    return subprocess.run(post.run.command(*words), env=post.run.environment(**variables), capture_output=True, stdin=subprocess.DEVNULL)


def test_a_deleted_current_directory_matters_only_where_it_is_asked_for(post: Post) -> None:
    with in_a_deleted_directory(post):
        for words in (["check", "beta"], ["send", "alpha", "beta", "hello"], ["roster"], REGISTER):
            done = here(post, *words)
            assert (done.returncode, done.stderr) == (0, b""), words
        assert here(post, "check", AGENT_MAIL_SELF="beta").returncode == 0
        for words in (["check"], ["register", "gamma", ".", "a duty"], ["register", "gamma", "desk", "a duty"]):
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
    odd = {"TERMINAL_WIDTH": "x", "COLUMNS": "-1", "LINES": "x", "FORCE_COLOR": "1", "TERM": "\x1b[2J", "PWD": "/nowhere", "OLDPWD": ""}
    ran = post.run("check", "beta", "--json", env=dict(odd))
    assert (ran.code, ran.err, ran.json["count"]) == (0, "", 1)
    the_line(post.run("check", "beta", "--colour", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}))

