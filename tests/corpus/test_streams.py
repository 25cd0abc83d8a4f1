"""Closed, full, broken and slow standard streams: a completed command is reported as completed."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.corpus.post import ALPHAS, ARCHIVED, WAITING, Post, letter

#: Calls whose answer is all that they do, and calls that have done something by then.
LOOKING = [
    ["check", "beta"],
    ["check", "beta", "--json"],
    ["read", "beta", WAITING],
    ["read", "beta", WAITING, "--raw"],
    ["roster"],
]
DOING = {
    "send": ["send", "alpha", "beta", "hello"],
    "send, in JSON": ["send", "alpha", "beta", "hello", "--json"],
    "reply": ["reply", "beta", WAITING],
    "archive": ["archive", "beta", WAITING],
    "unarchive": ["unarchive", "beta", ARCHIVED],
    "prune": ["prune", "beta", "1"],
    "register": ["register", "gamma", "/tmp", "a duty"],
}
NOWHERE = {"closed": '"$@" >&-', "full": '"$@" >/dev/full', "read-only": '"$@" 1</dev/null'}


def shell(post: Post, script: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """That call under a shell script that says where its streams go."""
    return subprocess.run(
        ["bash", "-c", script, "bash", *post.run.command(*words)],
        env=post.run.environment(),
        cwd=post.home,
        input=b"text",
        capture_output=True,
        timeout=20,
    )


def one_line(done: subprocess.CompletedProcess[bytes]) -> str:
    assert done.stderr.count(b"\n") == 1, done
    assert done.stderr.startswith(b"agentmail: "), done
    return done.stderr.decode()


@pytest.mark.parametrize("how", NOWHERE.values(), ids=NOWHERE)
@pytest.mark.parametrize("words", DOING.values(), ids=DOING)
def test_a_completed_command_that_cannot_be_reported_is_unconfirmed(
    post: Post, how: str, words: list[str]
) -> None:
    done = shell(post, how, *words)
    line = one_line(done)
    assert done.returncode == 4
    assert f"{words[0]} is done (" in line
    assert "do not repeat it" in line
    if words[0] in ("send", "reply"):
        (new,) = {path.stem for path in post.bus.glob("*/inbox/*.md")} - {WAITING, ALPHAS}
        assert new in line


@pytest.mark.parametrize("how", NOWHERE.values(), ids=NOWHERE)
def test_an_answer_that_cannot_be_written_is_an_error(post: Post, how: str) -> None:
    for words in LOOKING:
        with post.untouched():
            done = shell(post, how, *words)
        assert done.returncode == 1, words
        assert "the answer could not be written: " in one_line(done)


@pytest.mark.parametrize("words", LOOKING)
def test_a_reader_that_closes_its_pipe_ends_a_reading_command_quietly(post: Post, words: list[str]) -> None:
    for number in range(400):  # far more than a pipe holds
        post.put(post.inbox / f"20260705-0000-alpha-x-{number}.md", letter("x", subject="y" * 490))
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, body=b"line\n" * 40_000))
    with post.registry.open("a") as rows:
        rows.write("".join(f"| c{number} | /tmp | {'x' * 200} |\n" for number in range(1000)))
    done = shell(post, '"$@" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}', *words)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("words", [["check", "beta"], ["roster"], ["--help"], ["send", "-h"], ["--version"]])
def test_head_gets_its_line_without_an_error_message(post: Post, words: list[str]) -> None:
    done = shell(post, '"$@" | head -1; exit ${PIPESTATUS[0]}', *words)
    assert done.returncode in (0, 141)
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_after_a_closed_pipe_standard_error_reports_the_delivery(post: Post) -> None:
    done = shell(post, '"$@" | true; exit ${PIPESTATUS[0]}', "send", "alpha", "beta", "hello", "a subject")
    assert done.returncode in (0, 4)  # `true` may still be there when the id is written
    reading, writing = os.pipe()
    os.close(reading)
    with post.run.start(
        "send", "alpha", "beta", "hello", "a subject", stdin=subprocess.DEVNULL, stdout=writing
    ) as process:
        os.close(writing)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 4
    assert b"-alpha-hello" in err
    assert b"Broken pipe" in err


@pytest.mark.parametrize("words", [["--help"], ["send", "-h"], ["--version"], []])
@pytest.mark.parametrize("how", NOWHERE.values(), ids=NOWHERE)
def test_help_that_cannot_be_shown_ends_without_a_traceback(post: Post, words: list[str], how: str) -> None:
    done = shell(post, how, *words)
    assert done.stderr.count(b"\n") <= 1, done
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"])
def test_without_standard_error_the_exit_code_still_tells(post: Post, how: str) -> None:
    before = post.state()
    for words, code in (
        (["check", "gamma"], 3),
        (["check", "Beta"], 2),
        (["chekc"], 2),
        (["read", "beta", "20260101-0000-a-x"], 1),
    ):
        done = shell(post, f'"$@" {how}', *words)
        assert (done.returncode, done.stdout, done.stderr) == (code, b"", b""), words
    assert post.state() == before
    done = shell(
        post, f'"$@" {how}', "send", "gamma", "beta", "hello", "a subject"
    )  # with a warning nobody hears
    assert done.returncode == (0 if how.startswith("2") else 4)
    (new,) = post.inbox.glob("*-gamma-hello.md")
    assert new.read_bytes().startswith(b"---\nid: ")


def test_closed_streams_never_end_up_inside_a_message(post: Post) -> None:
    done = shell(post, '"$@" <&- >&- 2>&-', "send", "gamma", "beta", "hello", "a subject")
    assert done.returncode == 4
    (new,) = post.inbox.glob("*-gamma-hello.md")
    assert new.read_bytes().endswith(b"---\n(no text)\n")
    assert b"agentmail:" not in new.read_bytes()
    assert all(b"agentmail:" not in path.read_bytes() for path in post.bus.rglob("*") if path.is_file())


def test_an_answer_that_the_reader_takes_slowly_arrives_whole(post: Post) -> None:
    for number in range(500):
        post.put(
            post.inbox / f"20260705-0000-alpha-{'x' * 60}-{number}.md",
            letter(f"x-{number}", subject="y" * 200),
        )
    done = shell(post, '"$@" | (sleep 0.3; cat)', "check", "beta")
    assert done.stdout.count(b"\n") == 1 + 501 + 1
    # A pipe that does not block is somebody else's setting, and no reason to lose half of the answer.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with post.run.start("check", "beta", stdin=subprocess.DEVNULL, stdout=writing) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            whole = pipe.read()
        _, err = process.communicate(timeout=20)
    assert (process.returncode, whole.count(b"\n"), err) == (0, 503, b"")
