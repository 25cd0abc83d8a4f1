"""The path of the bus: bad variables, and other things at that path."""

from __future__ import annotations

import os

import pytest

from tests.corpus.post import WAITING, Post, clean

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
def test_a_relative_bus_path_is_refused(post: Post, path: str) -> None:
    for words in [*CALLS, REGISTER]:
        line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": path}, cwd=post.root, stdin="text")
        assert "AGENT_MAIL_DIR is '" in line
        assert "not an absolute path; nothing was changed" in line


@pytest.mark.parametrize("name", ["relative", "empty", "under a home", "an escape"])
def test_a_process_refuses_such_a_bus(post: Post, name: str) -> None:
    post.refuses(
        2, *CALLS[0], env={"AGENT_MAIL_DIR": RELATIVE[name]}, cwd=post.root, run=post.run, stdin="text"
    )


@pytest.mark.parametrize("words", [*CALLS, REGISTER])
def test_without_a_home_the_bus_must_be_given(post: Post, words: list[str]) -> None:
    for home in (None, "", "home", "~"):
        line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": None, "HOME": home}, stdin="text")
        assert "HOME is not set to an absolute path; nothing was changed; set HOME or AGENT_MAIL_DIR" in line


def test_a_process_without_a_home_reports_it_unless_a_bus_is_given(post: Post) -> None:
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
def test_a_reading_command_does_not_create_a_missing_bus(post: Post, words: list[str]) -> None:
    line = post.refuses(3, *words, env={"AGENT_MAIL_DIR": str(post.root / "none")}, stdin="text")
    assert f"there is no bus at {post.root}/none; nothing was changed; `agentmail register" in line


def test_a_process_that_reads_does_not_create_a_bus(post: Post) -> None:
    for words in CALLS[:2]:
        post.refuses(3, *words, env={"AGENT_MAIL_DIR": str(post.root / "none")}, run=post.run, stdin="text")


def test_a_bus_is_created_only_in_an_existing_directory(post: Post) -> None:
    line = post.refuses(2, *REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "a" / "b")}, run=post.run)
    assert "set AGENT_MAIL_DIR to a path whose parent exists" in line
    assert post.run(*REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "a")}).code == 0
    assert sorted(path.name for path in (post.root / "a").iterdir()) == [
        ".registry.lock",
        "gamma",
        "registry.md",
    ]


def test_a_bus_path_that_is_a_file_is_refused(post: Post) -> None:
    (post.root / "file").write_text("mine\n")
    os.mkfifo(post.root / "pipe")
    for place in ("file", "file/bus", "pipe", "pipe/bus"):
        for words in [*CALLS, REGISTER]:
            line = post.refuses(2, *words, env={"AGENT_MAIL_DIR": str(post.root / place)}, stdin="text")
            assert "is not a directory" in line
    post.refuses(2, *REGISTER, env={"AGENT_MAIL_DIR": str(post.root / "file")}, run=post.run)
    post.refuses(2, "check", "beta", env={"AGENT_MAIL_DIR": str(post.root / "file")}, run=post.run)


@pytest.mark.parametrize("words", [*CALLS, REGISTER], ids=lambda words: words[0])
def test_a_dangling_symlink_as_the_bus_is_reported(post: Post, words: list[str]) -> None:
    (post.root / "loop").symlink_to("loop")
    (post.root / "gone").symlink_to("nowhere/at/all")
    for place, code in (
        ("loop", 2),
        ("x" * 300, 2),
        ("y/" * 3000, 2),
        ("gone", 2 if words is REGISTER else 3),
    ):
        line = post.refuses(code, *words, env={"AGENT_MAIL_DIR": str(post.root / place)}, stdin="text")
        assert "nothing was changed" in line


@pytest.mark.parametrize(
    "name", ["bus/", "bus//", "./bus", "home/../bus", "with spaces", "a link", "巴士", "\udcff", "\x1b[2J"]
)
def test_two_names_of_one_bus_give_the_same_answers(post: Post, name: str) -> None:
    if not name.rstrip("/").endswith("bus"):
        (post.root / name).symlink_to("bus")
    ran = post.run("check", "beta", env={"AGENT_MAIL_DIR": f"{post.root}/{name}"})
    assert (ran.code, ran.trouble) == (0, "")
    assert WAITING in clean(ran.stdout)
    ran = post.inside(
        "send", "alpha", "beta", "hello", env={"AGENT_MAIL_DIR": f"{post.root}/{name}"}, stdin="text"
    )
    assert (post.inbox / f"{ran.out.strip()}.md").is_file()
    assert post.inside(*REGISTER, env={"AGENT_MAIL_DIR": f"{post.root}/{name}"}).code == 0
    assert "| gamma | /tmp | a duty |" in post.registry.read_text()
