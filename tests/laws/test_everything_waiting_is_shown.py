"""`check` lists every entry of the inbox that is not hidden, once, oldest first; an error is never `no mail`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus
from agentmail.core.names import order, printable
from agentmail.verbs.call import Call
from agentmail.verbs.check import check
from tests.support.cli import Cli
from tests.support.clocks import SECOND, Fixed
from tests.support.worlds import MOMENT, World, tell

#: Names that a person, another program or a hostile one may put into an inbox.
NAMES = st.one_of(
    st.sampled_from(
        [
            *("20260704-0930-alpha-x.md", "20260704-0930-alpha-x-2.md", "20260704-0930-alpha-x-10.md"),
            *("20990101-0000-alpha-x.md", "README.txt", "a (conflicted copy).md", "x.sync-conflict-1.md"),
            *(
                "new",
                "'; rm -rf ~ #.md",
                "bet\u202ea.md",
                "\x1b[2J.md",
                "a\nb.md",
                "-rf.md",
                "*.md",
                "20269999-9999-a.md",
            ),
        ]
    ),
    st.binary(min_size=1, max_size=30)
    .filter(lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b".."))
    .map(os.fsdecode),
)
CONTENTS = st.sampled_from(
    [
        b"",
        b"text",
        b"---\nfrom: alpha\n---\n",
        b"---\n",
        b"---\n&a *a\n---\n",
        b"\xff\0",
        "a directory",
        "a link",
    ]
)


def listed(bus: Bus, identity: str = "beta") -> list[dict[str, Any]]:
    return [dict(message) for message in check(Call(bus), identity)["messages"]]


@settings(max_examples=60)
@given(st.dictionaries(NAMES, CONTENTS, max_size=8))
def test_every_entry_is_listed_once_in_order(entries: dict[str, bytes | str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        inbox = Path(directory, "beta", "inbox")
        inbox.mkdir(parents=True)
        for name, what in entries.items():
            put(inbox / name, what)
        found = check(Call(Bus(directory)), "beta")
        files = [message["file"] for message in found["messages"]]
        visible = [name for name in entries if not name.startswith(".")]
        assert files == sorted(visible, key=order)
        assert found["count"] == len(visible)
        assert sorted(os.listdir(inbox)) == sorted(entries), "and looking leaves no trace"


def put(path: Path, what: bytes | str) -> None:
    if what == "a directory":
        path.mkdir()
    elif what == "a link":
        path.symlink_to("/etc/passwd")
    elif isinstance(what, bytes):
        path.write_bytes(what)


def test_a_later_message_never_hides_an_earlier_one(world: World) -> None:
    clock = Fixed(MOMENT)
    ids = [world.waiting, world.other]
    for number in range(30):
        clock.moment += 7 * SECOND
        ids.append(tell(world.bus(clock=clock), "alpha", "beta", "note", b"%d" % number))
    found = [message["id"] for message in listed(world.bus())]
    assert sorted(found) == sorted(ids)
    assert found[2:] == ids[2:], "in the order of sending, also within a minute"


def test_a_header_s_date_counts_only_within_the_minute_of_the_name(world: World) -> None:
    inbox = world.path / "beta" / "inbox"
    dates = {
        "20260801-1200-z-last.md": "2026-08-01T12:00:59.000000Z",
        "20260801-1200-m-mid.md": "2026-08-01T12:00:30.000000Z",
        "20260801-1200-a-forged.md": "2026-08-01T11:00:00.000000Z",
        "20260801-1201-a-next.md": "2020-01-01T00:00:00.000000Z",
        "20260801-1200-b-none.md": "no date",
    }
    for name, date in dates.items():
        (inbox / name).write_text(f"---\nfrom: alpha\ndate: {date}\n---\n")
    found = [message["file"] for message in listed(world.bus())][2:]
    assert found == [
        "20260801-1200-a-forged.md",
        "20260801-1200-b-none.md",
        "20260801-1200-m-mid.md",
        "20260801-1200-z-last.md",
        "20260801-1201-a-next.md",
    ]


def test_a_time_to_come_is_shown_last_and_said(world: World) -> None:
    inbox = world.path / "beta" / "inbox"
    (inbox / "20990101-0000-alpha-x.md").write_text("---\nfrom: alpha\n---\n")
    last = listed(world.bus())[-1]
    assert last["file"] == "20990101-0000-alpha-x.md"
    assert "in-the-future" in last["flags"]


def test_what_stands_in_both_places_is_said(world: World) -> None:
    archived = world.path / "beta" / "archive" / f"{world.waiting}.md.gz"
    archived.write_bytes(b"")
    flags = {message["id"]: message["flags"] for message in listed(world.bus())}
    assert "already-archived" in flags[world.waiting]
    assert "already-archived" not in flags[world.other]


@pytest.mark.parametrize("kind", ["a file", "a symlink", "a dangling symlink", "a FIFO"])
def test_an_inbox_that_is_no_directory_is_an_error(world: World, kind: str) -> None:
    inbox = world.path / "beta" / "inbox"
    inbox.rename(inbox.with_name("moved"))
    if kind == "a file":
        inbox.write_bytes(b"")
    elif kind == "a FIFO":
        os.mkfifo(inbox)
    else:
        inbox.symlink_to("moved" if kind == "a symlink" else "nowhere")
    with pytest.raises((OSError, AgentMailError)):
        listed(world.bus())


def test_no_mail_is_said_of_a_box_by_its_name_and_of_no_other(run: Cli) -> None:
    assert run("register", "beta", "-", "what beta does").code == 0
    empty = run("check", "beta")
    assert empty.code == 0
    assert str(run.bus / "beta" / "inbox") in empty.out
    unknown = run("check", "bta")
    assert (unknown.code, unknown.out) == (3, "")
    assert "did you mean beta?" in unknown.err


def test_a_terminal_gets_no_control_byte_from_an_inbox(run: Cli) -> None:
    assert run("register", "beta", "-", "what beta does").code == 0
    inbox = run.bus / "beta" / "inbox"
    header = 'from: "\\e[31m"\nsubject: "\\e]0;pwn\\a \\u202e \\u009b31m \\u200b"\n'
    (inbox / "20260704-0930-alpha-\x1b[2J\u202e.md").write_text(f"---\n{header}---\n\x1b[2J\x9b31m\u202e")
    (inbox / "20260704-0930-alpha-x.md").write_text(f"---\n{header}---\n\x1b[2J\x9b31m\u202e\x07")
    for words in (["check", "beta"], ["read", "beta", "20260704-0930-alpha-x"]):
        shown = run(*words)
        assert shown.code == 0, shown.err
        assert printable(shown.out, keep="\n\t") == shown.out
        assert "\\u{1b}" in shown.out
