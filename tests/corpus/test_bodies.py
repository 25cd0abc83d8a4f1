"""Bodies are kept to the byte up to their limit; binary or larger ones are refused before anything is written."""

from __future__ import annotations

import fcntl
import os
import subprocess
import termios
import time
from pathlib import Path

import pytest

from tests.corpus.post import WAITING, Post, clean, letter, the_line
from tests.support.cli import trouble_in
from tests.support.reader import header_and_body

KEPT = {
    "CRLF": b"one\r\ntwo\r\n",
    "no final newline": b"one",
    "a BOM": b"\xef\xbb\xbfone\n",
    "blank lines around": b"\n\n\none\n\n\n",
    "a rule": b"---\n",
    "a header of its own": b"---\nto: gamma\n---\n",
    "an end of a document": b"...\n",
    "the mark of a here document": b"EOF\n",
    "a variable": b"$HOME ${HOME} %s %d {} \\n\n",
    "backticks": b"`id` $(id)\n",
    "escape sequences": b"\x1b]0;pwn\x07\x1b[2J\n",
    "a form feed and a bell": b"\f\a\b\v\x7f\n",
    "bidi controls": "\u202eabc\u2066\n".encode(),
    "a line separator": "a\u2028b\u0085c\n".encode(),
    "a private use character": "\ue000\U0010ffff\n".encode(),
    "spaces around": b"   x   ",
    "newlines around": b"\nx\n\n",
    "a closing tag of a host": b"</system-reminder>\n",
    "a very long line": b"x" * 2000,
}

REFUSED = {
    "a NUL": b"a\0b",
    "a NUL alone": b"\0",
    "Latin-1": "caf\u00e9".encode("latin-1"),
    "UTF-16": "text".encode("utf-16"),
    "half a character": "差".encode()[:2],
    "an overlong slash": b"\xc0\xaf",
    "a surrogate": b"\xed\xa0\x80",
    "gzip": b"\x1f\x8b\x08\x00",
    "8193 bytes": b"x" * 8193,
    "8193 bytes of Chinese": "差".encode() * 2731,
    "a megabyte": b"x" * (1 << 20),
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_a_body_is_stored_byte_for_byte(post: Post, body: bytes) -> None:
    header, kept = header_and_body(post.sent("alpha", "beta", "hello", "S", stdin=body))
    assert (header["to"], kept) == ("beta", body)
    (post.desk / "body").write_bytes(body)
    data = post.sent("alpha", "beta", "hello", "S", "--body-file", "body", cwd=post.desk)
    assert header_and_body(data)[1] == body


def test_a_body_survives_a_process(post: Post) -> None:
    body = b"\xef\xbb\xbf---\r\n\x1b[2J$HOME `id`\nEOF"
    assert header_and_body(post.sent("alpha", "beta", "hello", run=post.run, stdin=body))[1] == body


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_a_body_that_is_binary_or_too_large_is_refused(post: Post, body: bytes) -> None:
    (post.desk / "body").write_bytes(body)
    for words in (["send", "alpha", "beta", "hello"], ["reply", "beta", WAITING]):
        line = post.refuses(2, *words, stdin=body)
        assert "nothing was changed; put the payload into a file" in line
        post.refuses(2, *words, "--body-file", str(post.desk / "body"))


@pytest.mark.parametrize("name", ["a NUL", "Latin-1", "8193 bytes"])
def test_a_process_refuses_such_a_body(post: Post, name: str) -> None:
    post.refuses(2, "send", "alpha", "beta", "hello", run=post.run, stdin=REFUSED[name])


def test_a_refused_body_makes_no_mailbox_for_a_recipient_who_has_only_a_row(post: Post) -> None:
    with post.registry.open("a") as rows:
        rows.write("| gamma | /tmp | a duty |\n")
    post.refuses(2, "send", "alpha", "gamma", "hello", stdin=b"\0")


def test_8192_bytes_are_delivered_with_a_warning(post: Post) -> None:
    ran = post.run("send", "alpha", "beta", "hello", stdin=b"x" * 8192)
    assert ran.code == 0
    assert ran.err.startswith(
        "agentmail: warning: the body is 8192 bytes, over 2048; next time put the payload"
    )
    assert ran.trouble.count("\n") == 1
    assert header_and_body((post.inbox / f"{ran.out.strip()}.md").read_bytes())[1] == b"x" * 8192


def test_the_warning_begins_above_2048_bytes(post: Post) -> None:
    post.sent("alpha", "beta", "hello", stdin=b"x" * 2048)
    ran = post.inside("send", "alpha", "beta", "hello", stdin=b"x" * 2049)
    assert (ran.code, ran.err.startswith("agentmail: warning: the body is 2049 bytes")) == (0, True)


@pytest.mark.parametrize("how", ["standard input", "/dev/stdin", "-", "/dev/zero"])
def test_endless_input_is_refused_at_once_and_never_gathered(post: Post, how: str) -> None:
    words = ["send", "alpha", "beta", "hello", *(["--body-file", how] if how != "standard input" else [])]
    before = post.state()
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        begun = time.monotonic()
        # All the memory that it may ask for, the interpreter's own included.
        limited = ["bash", "-c", 'ulimit -v 160000; exec "$@"', "bash", *post.run.command(*words)]
        done = subprocess.run(
            limited, env=post.run.environment(), stdin=endless.stdout, capture_output=True, timeout=10
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"nothing was changed" in done.stderr
        assert time.monotonic() - begun < 5
        endless.kill()
    assert post.state() == before


@pytest.mark.parametrize(
    "how", ["nothing", "a closed descriptor", "/dev/null", "an empty file", "a terminal"]
)
def test_a_subject_alone_is_delivered_with_a_warning_and_without_waiting(post: Post, how: str) -> None:
    words = [*post.run.command("send", "alpha", "beta", "hello", "The branch is parser-v2")]
    master, terminal = os.openpty()
    (post.desk / "empty").touch()
    given: dict[str, object] = {"stdin": subprocess.DEVNULL}
    if how == "a terminal":
        given = {"stdin": terminal}
    elif how == "a closed descriptor":
        words = ["sh", "-c", 'exec "$@" <&-', "sh", *words]
    elif how == "/dev/null":
        words += ["--body-file", "/dev/null"]
    elif how == "an empty file":
        words += ["--body-file", str(post.desk / "empty")]
    done = subprocess.run(
        words, env=post.run.environment(), cwd=post.home, capture_output=True, timeout=10, **given
    )  # type: ignore[call-overload]
    os.close(master)
    os.close(terminal)
    call = "`agentmail send alpha beta hello 'The branch is parser-v2' <<'EOF'`"
    assert done.returncode == 0
    assert trouble_in(done.stderr.decode()) == (
        "agentmail: warning: no text came on standard input, so the message has its subject alone; "
        f"with a text: {call}\n"
    )
    data = (post.inbox / f"{done.stdout.decode().strip()}.md").read_bytes()
    assert header_and_body(data)[1] == b"(no text)\n"


def test_a_directory_as_standard_input_is_refused(post: Post) -> None:
    before = post.state()
    here = os.open(post.desk, os.O_RDONLY)
    with post.run.start("send", "alpha", "beta", "hello", stdin=here) as process:
        out, err = process.communicate(timeout=10)
    os.close(here)
    # The interpreter itself refuses to start then, with a line of its own.
    assert (process.returncode, out) == (1, b"")
    assert b"is a directory" in err
    assert post.state() == before


def test_unreadable_standard_input_is_refused(post: Post) -> None:
    words = [
        "sh",
        "-c",
        'exec "$@" 0>written-only',
        "sh",
        *post.run.command("send", "alpha", "beta", "hello"),
    ]
    done = subprocess.run(words, env=post.run.environment(), cwd=post.desk, capture_output=True, timeout=10)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(
        b"agentmail: standard input cannot be read: Bad file descriptor; nothing was changed"
    )
    assert [path.name for path in post.inbox.iterdir()] == [f"{WAITING}.md"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "missing",
        ".",
        "/",
        "a\0b",
        "x" * 300,
        "x" * 100_000,
        "body/x",
        "~/body",
        "\udcff",
        "\x1b[2J",
        "$HOME",
    ],
)
def test_a_body_file_that_cannot_be_read_is_refused(post: Post, path: str) -> None:
    (post.desk / "body").write_bytes(b"text")
    line = post.refuses(2, "send", "alpha", "beta", "hello", "--body-file", path, cwd=post.desk)
    assert "the body file cannot be read" in line


def test_a_process_refuses_a_body_file_that_cannot_be_read(post: Post) -> None:
    line = post.refuses(2, "send", "alpha", "beta", "hello", "--body-file", "\x1b[2J\udcff", run=post.run)
    assert "No such file" in line


def test_a_body_file_that_is_a_pipe_nobody_writes_to_is_refused_without_waiting(post: Post) -> None:
    os.mkfifo(post.desk / "pipe")
    post.refuses(2, "send", "alpha", "beta", "hello", "--body-file", "pipe", cwd=post.desk)
    post.refuses(
        2, "send", "alpha", "beta", "hello", "--body-file", "pipe", cwd=post.desk, run=post.run, timeout=5
    )


def test_a_pipe_that_does_not_wait_is_waited_for(post: Post) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with post.run.start("send", "alpha", "beta", "hello", stdin=reading) as process:
        os.close(reading)
        os.write(writing, b"one ")
        # The other half is written only once the first is read: then the pipe has been found empty.
        while pending(writing):
            time.sleep(0.001)
        os.write(writing, b"two")
        os.close(writing)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, trouble_in(err.decode())) == (0, "")
    assert (post.inbox / f"{out.decode().strip()}.md").read_bytes().endswith(b"---\none two")


def pending(pipe: int) -> int:
    """How many bytes wait in a pipe to be read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), "little")


def test_the_output_of_a_slow_command_may_be_the_body_file(post: Post) -> None:
    script = '"$@" --body-file <(sleep 0.3; printf text)'
    words = ["bash", "-c", script, "bash", *post.run.command("send", "alpha", "beta", "hello")]
    done = subprocess.run(words, env=post.run.environment(), cwd=post.home, capture_output=True, timeout=10)
    assert (done.returncode, trouble_in(done.stderr.decode())) == (0, "")
    assert (post.inbox / f"{done.stdout.decode().strip()}.md").read_bytes().endswith(b"---\ntext")


HOSTILE = b"\x1b]0;pwn\x07\x1b[2J\x9b\xff \xe2\x80\xae \xe2\x80\xa8 \b\x7f\rx\r\n\tend"


@pytest.mark.parametrize("place", ["inbox", "archive"])
def test_read_escapes_control_characters_of_a_hostile_body(post: Post, place: str) -> None:
    (post.inbox / f"{WAITING}.md").unlink()
    post.put(post.bus / "beta" / place / f"{WAITING}.md", letter(WAITING, body=HOSTILE))
    with post.untouched():
        shown = clean(post.run("read", "beta", WAITING).stdout, keep="\n\t")
    assert (
        "\\u{1b}]0;pwn\\u{7}\\u{1b}[2J\\u{dc9b}\\u{dcff} \\u{202e} \\u{2028} \\u{8}\\u{7f}\\u{d}x\n\tend"
        in shown
    )
    clean(post.run("read", "beta", WAITING, "--json").stdout)


def test_only_raw_gives_the_bytes_of_the_file(post: Post) -> None:
    data = letter(WAITING, body=HOSTILE)
    post.put(post.inbox / f"{WAITING}.md", data)
    with post.untouched():
        assert post.run("read", "beta", WAITING, "--raw").stdout == data


def on_a_terminal(post: Post, *words: str) -> bytes:
    """What such a call writes to a terminal."""
    master, terminal = os.openpty()
    environment = post.run.environment(TERM="xterm-256color", NO_COLOR="1")
    with subprocess.Popen(
        post.run.command(*words), env=environment, cwd=post.home, stdout=terminal, stdin=terminal
    ) as process:
        os.close(terminal)
        shown = b""
        try:
            while chunk := os.read(master, 1 << 16):
                shown += chunk
        except OSError:  # the last writer is gone
            pass
        assert process.wait(10) == 0
    os.close(master)
    return shown.replace(b"\r\n", b"\n")


def test_a_terminal_never_gets_a_control_byte_out_of_a_message(post: Post) -> None:
    name = "20260705-0000-\x1b[2J\u202ex.md"
    subject = "\x1b]0;pwn\x07\u202e\x9b31m"
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, sender=subject, subject=subject, body=HOSTILE))
    post.put(post.inbox / name, letter("x", subject=subject))
    (post.inbox / os.fsdecode(b"\xff\x1b.md")).symlink_to(Path("/nowhere"))
    post.registry.write_text(
        f"| id | workdir | responsibility |\n|---|---|---|\n| beta | /\x1b[2J | {subject} |\n"
    )
    for words in (("check", "beta"), ("read", "beta", WAITING), ("roster",)):
        assert "\\u{1b}" in clean(on_a_terminal(post, *words), keep="\n\t")


def test_the_line_of_a_refused_body_is_one_line(post: Post) -> None:
    ran = post.run("send", "alpha", "beta", "hello", stdin=b"\xff\x1b[2J")
    assert "the body is not UTF-8 text" in the_line(ran)
