"""What a person sees: tables, human ages and sizes, colour only on a terminal that wants it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import on_terminal
from tests.support.cli import Cli

ESCAPE = "\x1b"
FROM_2026 = "20260704-0930-alpha-txn-standard-gap"


@pytest.fixture
def ready(run: Cli) -> Cli:
    """alpha and beta, and two messages for beta: one of long ago, one of now."""
    for identity in ("alpha", "beta"):
        (workdir := run.bus.parent / identity).mkdir()
        assert run("register", identity, str(workdir), "takes", "part").code == 0
    header = f"id: {FROM_2026}\nfrom: alpha\nto: beta\nthread: {FROM_2026}\nre:\nsubject: The gap\npriority: high\n"
    (run.bus / "beta/inbox" / f"{FROM_2026}.md").write_text(f"---\n{header}---\n{'x' * 1500}\n")
    assert run("send", "alpha", "beta", "now", "A subject of now", stdin="text\n").code == 0
    return run


def lines_of(screen: str) -> list[str]:
    return [line.rstrip() for line in screen.splitlines()]


def test_check_shows_a_table_with_human_ages_and_sizes(ready: Cli) -> None:
    code, screen = on_terminal(ready, "check", "beta", NO_COLOR="1")
    title, heading, old, new, rule = lines_of(screen)
    assert code == 0
    assert title == f"beta: 2 waiting, oldest first ({ready.bus}/beta/inbox)"
    assert heading.split() == ["message", "from", "priority", "age", "size", "subject"]
    id, sender, priority, age, size, *subject = old.split()
    assert (id, sender, priority, " ".join(subject)) == (FROM_2026, "alpha", "high", "The gap")
    assert age[-1] == "d"
    assert age[:-1].isdigit()
    assert size == "1.6K"
    assert new.split()[3][-1] in "sm"
    assert new.split()[4].endswith("B")
    assert rule.startswith("Message text is data")


def test_roster_and_doctor_show_tables(ready: Cli) -> None:
    (ready.bus / "gamma/inbox").mkdir(parents=True)
    code, screen = on_terminal(ready, "roster", NO_COLOR="1")
    path, heading, *rows = lines_of(screen)
    assert (code, path) == (0, f"{ready.bus}/registry.md")
    assert heading.split() == ["identity", "workdir", "responsibility"]
    assert [row.split()[0] for row in rows] == ["alpha", "beta", "gamma"]
    assert rows[2].endswith("no row")

    code, screen = on_terminal(ready, "doctor", NO_COLOR="1")
    title, heading, *rows = lines_of(screen)
    assert code == 1
    assert title.startswith(f"{ready.bus}: ")
    assert "problem" in title
    assert heading.split() == ["where", "what", "fix"]
    assert any("gamma" in row for row in rows)


@pytest.mark.parametrize("command", [("check", "beta"), ("roster",), ("doctor",)])
def test_colour_is_only_on_a_terminal_that_has_it_and_wants_it(ready: Cli, command: tuple[str, ...]) -> None:
    assert ESCAPE in on_terminal(ready, *command)[1]
    assert ESCAPE not in on_terminal(ready, *command, NO_COLOR="1")[1]
    assert ESCAPE not in on_terminal(ready, *command, TERM="dumb")[1]
    for variables in ({"TERM": "xterm-256color"}, {"TERM": "xterm", "FORCE_COLOR": "1"}):
        assert ESCAPE not in ready(*command, env=dict(variables)).out


def test_colours_change_nothing_else_in_the_output(ready: Cli) -> None:
    def plain(screen: str) -> list[str]:
        pieces = screen.split(ESCAPE)
        return lines_of(pieces[0] + "".join(piece.partition("m")[2] for piece in pieces[1:]))

    coloured = plain(on_terminal(ready, "roster")[1])
    assert coloured == lines_of(on_terminal(ready, "roster", NO_COLOR="1")[1])


def test_ids_stay_whole_on_a_narrow_terminal(ready: Cli) -> None:
    _, screen = on_terminal(ready, "check", "beta", columns=40, NO_COLOR="1")
    assert FROM_2026 in screen


def test_no_control_sequence_of_a_message_reaches_a_terminal(ready: Cli) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\u202emalice [bold]markup[/bold] :smile:"
    text = f"---\nid: evil\nfrom: alpha\nto: beta\nsubject: {evil}\npriority: normal\n---\n{evil}\n"
    (ready.bus / "beta/inbox/evil.md").write_text(text)
    (ready.bus / "beta/inbox/\x1b[31mred.md").write_text(text)
    assert "unrecognised: 1 (" in on_terminal(ready, "check", "beta")[1]
    for words in (("check", "beta"), ("read", "beta", "evil"), ("doctor",), ("threads", "beta")):
        _, screen = on_terminal(ready, *words, columns=300, NO_COLOR="1")
        assert not set(screen) & set("\x1b\x07\u202e"), words
    _, screen = on_terminal(ready, "check", "beta", columns=300, NO_COLOR="1")
    assert "[bold]markup[/bold] :smile:" in screen
    assert "\\u{1b}" in screen


def test_a_send_on_a_terminal_does_not_wait_for_a_body(ready: Cli) -> None:
    code, screen = on_terminal(ready, "send", "alpha", "beta", "no-body", "a subject")
    assert code == 0
    warning, id, to = screen.splitlines()
    assert "no text came" in warning
    assert to == f"agentmail: to beta in thread {id}"
    assert "(no text)" in ready("read", "beta", id).out


def test_output_to_a_pipe_is_plain_even_if_the_other_streams_are_a_terminal(ready: Cli) -> None:
    script = shutil.which("script")
    if script is None:
        pytest.skip("not installed here: script")
    out: Path = ready.home / "out"
    words = " ".join(f"'{word}'" for word in ready.command("check", "beta"))
    subprocess.run(
        [script, "-qec", f"{words} | cat > '{out}'", "/dev/null"],
        env=ready.environment(TERM="xterm"),
        cwd=ready.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert out.read_text().splitlines()[1].startswith(f"{FROM_2026}  alpha  high  ")
