"""Valid and invalid words of register: a row reads back equal, and the same call again changes nothing."""

from __future__ import annotations

import pytest

from tests.corpus.post import Post, clean

DUTIES = [
    "a | b",
    "a|b",
    "|",
    "||",
    "\\",
    "x\\",
    "\\|",
    "\\\\|",
    "a \\| b",
    "`a|b`",
    "---",
    "|---|---|",
    "id",
    "| id | workdir | responsibility |",
    "<!-- x -->",
    "<script>",
    "# heading",
    "[link](x)",
    "职责：审计",
    "🙂",
    "x\u202ey",
    "x\u2028y",
    "a\u00a0b",
    "%s {} $HOME `id`",
    "-",
    "~",
    "x" * 4096,
]


@pytest.mark.parametrize("duty", DUTIES)
def test_a_duty_reads_back_equal_and_the_same_again_changes_nothing(post: Post, duty: str) -> None:
    before = post.registry.read_bytes()
    ran = post.inside("register", "--", "gamma", "/tmp", duty)
    assert (ran.code, ran.trouble) == (0, "")
    clean(ran.stdout)
    assert post.row("gamma")["responsibility"] == duty
    after = post.registry.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == before.count(b"\n") + 1
    with post.untouched():
        assert post.inside("register", "--", "gamma", "/tmp", duty).out.startswith("unchanged gamma")
    clean(post.inside("roster").stdout)


def test_a_duty_survives_a_process(post: Post) -> None:
    for duty in ("a | b", "x\\", "职责|\\"):
        assert post.run("register", "gamma", "/tmp", *duty.split(" ")).code == 0
        assert post.row("gamma")["responsibility"] == duty
    with post.untouched():
        assert post.run("register", "gamma", "/tmp", "职责|\\").out.startswith("unchanged")


@pytest.mark.parametrize("space", [" ", "   ", "\u00a0", "\u3000", "\u2003"])
def test_space_around_a_duty_is_not_kept(post: Post, space: str) -> None:
    assert post.inside("register", "gamma", "/tmp", f"{space}a  duty{space}").code == 0
    assert post.row("gamma")["responsibility"] == "a  duty"
    with post.untouched():
        post.inside("register", "gamma", "/tmp", f"{space}a  duty{space}")
    post.refuses(2, "register", "delta", "/tmp", space)


BAD_CELLS = {
    "a newline": "x\ny",
    "a newline behind": "x\n",
    "a newline in front": "\nx",
    "a row of its own": "x |\n| evil | /tmp | x",
    "a carriage return": "x\ry",
    "a carriage return behind": "x\r",
    "a tab": "x\ty",
    "a file separator behind": "x\x1c",
    "an escape": "x\x1b[2J",
    "a C1 control": "x\x9b31m",
    "a next line": "x\x85",
    "a NUL": "x\0y",
    "a delete": "x\x7f",
    "bytes that are not UTF-8": "x\udcff",
    "4097 bytes": "/" + "x" * 4096,
    "100,000 bytes": "/" + "x" * 100_000,
}


@pytest.mark.parametrize("bad", BAD_CELLS.values(), ids=BAD_CELLS)
def test_a_duty_or_workdir_that_is_not_one_line_of_text_is_refused(post: Post, bad: str) -> None:
    for words in (
        ["/tmp", bad],
        ["/tmp", "a", bad, "duty"],
        [bad, "a duty"],
        [f"/{bad}", "a duty"],
        [f"~/{bad}", "a duty"],
    ):
        assert "nothing was changed" in post.refuses(2, "register", "gamma", *words)
        assert "nothing was changed" in post.refuses(2, "register", "beta", *words)


@pytest.mark.parametrize("name", ["a row of its own", "an escape", "bytes that are not UTF-8"])
def test_a_process_refuses_such_a_cell(post: Post, name: str) -> None:
    post.refuses(2, "register", "gamma", "/tmp", BAD_CELLS[name], run=post.run)
    post.refuses(2, "register", "gamma", BAD_CELLS[name], "a duty", run=post.run)


@pytest.mark.parametrize(
    "words",
    [
        ["", "a duty"],
        [" ", "a duty"],
        ["/tmp", ""],
        ["/tmp", "", ""],
        ["/tmp", "  "],
        ["/tmp/x ", "a duty"],
        ["x\u00a0", "a duty"],
    ],
)
def test_empty_words_are_refused(post: Post, words: list[str]) -> None:
    post.refuses(2, "register", "gamma", *words)


def test_a_workdir_is_kept_as_an_absolute_path(post: Post) -> None:
    (post.desk / "with spaces").mkdir()
    (post.desk / "a|b").mkdir()
    for given, kept in (
        (".", post.desk),
        ("./", post.desk),
        ("with spaces", post.desk / "with spaces"),
        ("a|b", post.desk / "a|b"),
        ("../desk/./with spaces/", post.desk / "with spaces"),
        ("~/..", post.root),
        (str(post.desk / "with spaces"), post.desk / "with spaces"),
    ):
        ran = post.inside("register", "gamma", given, "a duty", cwd=post.desk)
        assert (ran.code, ran.trouble) == (0, ""), given
        assert post.row("gamma")["workdir"] == str(kept)
        assert post.inside("check", cwd=kept).lines[0].startswith("gamma: no mail")


@pytest.mark.parametrize("given", ["nowhere", "~root", "$HOME", "~~", "file:///tmp", "*", "\\"])
def test_a_missing_workdir_is_kept_with_a_warning(post: Post, given: str) -> None:
    ran = post.inside("register", "gamma", given, "a duty", cwd=post.desk)
    assert ran.code == 0
    assert (
        ran.err
        == f"agentmail: warning: {post.desk}/{given.replace('file:///tmp', 'file:/tmp')} is not a directory here\n"
    )


@pytest.mark.parametrize("given", ["/", "//", "/..", "~", "~/", "{home}", "{home}/"])
def test_the_root_and_the_home_directory_are_accepted_with_a_warning(post: Post, given: str) -> None:
    ran = post.inside("register", "gamma", given.replace("{home}", str(post.home)), "a duty")
    assert ran.code == 0
    assert "is very broad" in clean(ran.stderr)
    assert post.row("gamma")["workdir"] in ("/", str(post.home))
    # The nearest row wins all the same.
    assert post.inside("register", "delta", str(post.desk), "a duty").code == 0
    assert post.inside("check", cwd=post.desk).lines[0].startswith("delta: ")


def test_a_dash_stands_for_no_workdir(post: Post) -> None:
    assert post.run("register", "gamma", "-", "somebody elsewhere").code == 0
    assert post.row("gamma")["workdir"] == "-"
    ran = post.run("send", "alpha", "gamma", "hello", stdin="text")
    assert ran.code == 0
    assert "gamma has no workdir here" in ran.err


def test_equal_workdirs_are_not_guessed_between(post: Post) -> None:
    (post.root / "link").symlink_to(post.desk)
    assert post.inside("register", "gamma", str(post.desk), "a duty").err == ""
    ran = post.inside("register", "delta", str(post.root / "link"), "a duty")
    assert ran.code == 0
    assert clean(ran.stderr).startswith("agentmail: warning: gamma and delta have the same workdir, so ")
    assert post.inside("register", "epsilon", str(post.desk / "below"), "a duty").err.count("warning") == 1
    line = post.refuses(2, "check", cwd=post.desk, run=post.run)
    assert "gamma and delta have the same workdir" in line
