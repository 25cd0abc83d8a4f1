"""Closed, full and broken standard streams: the outcome is reported correctly, and no answer lands in a message."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from tests.processes.within import one_line, shell
from tests.support.cli import Cli, Ran, text_for
from tests.support.reader import header_and_body, read_bus

CLOSED = [
    " ".join(streams)
    for count in (1, 2, 3)
    for streams in itertools.combinations(("<&-", ">&-", "2>&-"), count)
]
BODY = b"the body, and nothing else\n"


def only_whole_messages(bus: Path) -> dict[str, bytes]:
    """Every message on the bus with its body; each file has to be a message or the registry, whole."""
    found = {}
    for box in read_bus(bus).values():
        assert (box.broken, box.tmp, box.hidden) == ([], [], [])
        for id, data in box.received.items():
            header, body = header_and_body(data)
            assert header["id"] == id
            found[id] = body
    registry = (bus / "registry.md").read_text()
    assert registry == "# Registry\n\n| id | workdir | responsibility |\n|---|---|---|\n" + "".join(
        line + "\n" for line in registry.splitlines() if line.endswith(" | takes part |")
    )
    return found


def closed(run: Cli, streams: str, *words: str, stdin: bytes = BODY) -> Ran:
    return shell(run, f'exec "$@" {streams}')(*words, stdin=stdin)


@pytest.mark.parametrize("streams", CLOSED)
def test_with_closed_streams_every_command_does_its_work_and_nothing_lands_in_a_file(
    ready: Cli, streams: str
) -> None:
    told = 4 if ">&-" in streams.split() else 0  # done, but the report could not be written
    sent = closed(ready, streams, "send", "alpha", "beta", "hello", "S")
    assert sent.code == told
    (id,) = only_whole_messages(ready.bus)
    body = only_whole_messages(ready.bus)[id]
    assert body == BODY if "<&-" not in streams else BODY not in body
    if told and "2>&-" not in streams:
        *warning, said = sent.err.splitlines(keepends=True)
        assert id in one_line(said)
        assert bool(warning) == ("<&-" in streams)
    assert closed(ready, streams, "check", "beta").code == (1 if told else 0)
    assert closed(ready, streams, "read", "beta", id).code == (1 if told else 0)
    for verb, folder in (("archive", "archive"), ("unarchive", "inbox"), ("archive", "archive")):
        ran = closed(ready, streams, verb, "beta", id)
        assert ran.code == told
        assert list(getattr(read_bus(ready.bus)["beta"], folder)) == [id]
        if told and "2>&-" not in streams:
            assert id in one_line(ran.err)
    assert closed(ready, streams, "register", "gamma", "-", "takes", "part").code == told
    assert closed(ready, streams, "reply", "beta", id, "S").code == told
    assert only_whole_messages(ready.bus)[id] == body
    assert len(only_whole_messages(ready.bus)) == 2


def full(run: Cli, *words: str) -> Ran:
    with open("/dev/full", "wb") as out:
        process = run.start(*words, stdout=out)
        _, err = process.communicate(text_for(words, BODY), timeout=30)
    return Ran(process.returncode, b"", err)


def test_a_full_standard_output_does_not_make_a_delivery_a_failure(ready: Cli) -> None:
    sent = full(ready, "send", "alpha", "beta", "hello", "S")
    (id,) = only_whole_messages(ready.bus)
    assert sent.code == 4
    assert id in one_line(sent.err)
    assert "No space left on device" in sent.err
    for verb, folder in (("archive", "archive"), ("unarchive", "inbox"), ("archive", "archive")):
        ran = full(ready, verb, "beta", id)
        assert ran.code == 4
        assert id in one_line(ran.err)
        assert list(getattr(read_bus(ready.bus)["beta"], folder)) == [id]
    answered = full(ready, "reply", "beta", id)
    (answer,) = set(only_whole_messages(ready.bus)) - {id}
    assert (answered.code, answer in one_line(answered.err)) == (4, True)
    registered = full(ready, "register", "gamma", "-", "takes", "part")
    assert (registered.code, "gamma" in one_line(registered.err)) == (4, True)
    assert (ready.bus / "gamma/inbox").is_dir()
    pruned = full(ready, "prune", "beta", "60")
    assert (pruned.code, "beta" in one_line(pruned.err)) == (4, True)


@pytest.mark.parametrize("words", [("check", "beta"), ("read", "beta"), ("roster",)])
def test_an_answer_that_changes_nothing_and_cannot_be_written_is_a_failure(
    ready: Cli, words: tuple[str, ...]
) -> None:
    id = ready("send", "alpha", "beta", "hello", stdin=BODY).out.strip()
    ran = full(ready, *words, *([id] if words[0] == "read" else []))
    assert ran.code == 1
    assert "nothing was changed" in one_line(ran.err)


@pytest.mark.parametrize("words", ["check beta", "roster"])
def test_a_reader_that_closes_its_pipe_ends_the_program_quietly(ready: Cli, words: str) -> None:
    # More than a pipe and a block of output hold together.
    if words == "roster":
        rows = "".join(f"| id-{at} | - | {'x' * 900} |\n" for at in range(300))
        (ready.bus / "registry.md").write_text("| id | workdir | responsibility |\n|---|---|---|\n" + rows)
    else:
        for at in range(500):
            name = f"20260704-0930-alpha-n{at:04}"
            header = f"id: {name}\nfrom: alpha\nto: beta\nsubject: {'x' * 450}\n"
            (ready.bus / "beta/inbox" / f"{name}.md").write_text(f"---\n{header}---\n")
    script = f'agentmail() {{ "$@" {words}; echo "$?" >&3; }}; agentmail "$@" | head -1'
    done = subprocess.run(
        ["sh", "-c", f"{{ {script}; }} 3>code", "sh", *ready.command()],
        env=ready.environment(),
        cwd=ready.home,
        capture_output=True,
        text=True,
    )
    assert (ready.home / "code").read_text() == "141\n"
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
