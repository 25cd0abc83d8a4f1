"""`ls`, `cat`, `grep` and `mv` as a client, and files as other editors and systems write them."""

from __future__ import annotations

import subprocess

import pytest

from tests.interop.conftest import tool
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_box

ID = "20260704-0930-alpha-by-hand"
MESSAGE = f"""---
id: {ID}
from: alpha
to: beta
thread: by-hand
re:
subject: written: by hand
priority: high
---
The first line.

The last line.
"""


def test_a_message_made_with_cat_and_mv_is_listed_read_and_answered(registered: Cli) -> None:
    script = 'cat >"$1/tmp/draft" && mv "$1/tmp/draft" "$1/inbox/$2.md"'
    made = subprocess.run(
        ["sh", "-c", script, "sh", registered.bus / "beta", ID], input=MESSAGE.encode(), check=True
    )
    assert made.returncode == 0
    (row,) = registered("check", "beta").lines[1:-1]
    id, sender, priority, _, subject, *flags = row.split("  ")
    assert (id, sender, priority, subject) == (ID, "alpha", "high", "written: by hand")
    # What YAML cannot parse is said, and none of it is lost.
    assert flags == ["[irregular-header]"]
    assert "The first line.\n\nThe last line.\n" in registered("read", "beta", ID).out
    answer = registered("reply", "beta", ID, stdin="Got it.\n").out.strip()
    header, body = header_and_body(read_box(registered.bus / "alpha").inbox[answer])
    assert (header["to"], header["re"], header["thread"], body) == ("alpha", ID, "by-hand", b"Got it.\n")
    assert registered("archive", "beta", ID).code == 0
    assert tool("gunzip", "-c", registered.bus / "beta/archive" / f"{ID}.md.gz").out == MESSAGE


def test_ls_cat_and_grep_find_messages_of_our_program(registered: Cli) -> None:
    id = registered("send", "alpha", "beta", "hello", "A plain subject", stdin="A plain body.\n").out.strip()
    inbox = registered.bus / "beta/inbox"
    assert tool("ls", inbox).lines == [f"{id}.md"]
    assert tool("grep", "-l", "^from: alpha$", "-r", inbox).lines == [str(inbox / f"{id}.md")]
    assert tool("grep", "^subject:", inbox / f"{id}.md").lines == ["subject: A plain subject"]
    lines = tool("cat", inbox / f"{id}.md").lines
    assert lines[:8] == [
        "---",
        f"id: {id}",
        "from: alpha",
        "to: beta",
        f"thread: {id}",
        "re:",
        "subject: A plain subject",
        "priority: normal",
    ]
    assert lines[-2:] == ["---", "A plain body."]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_marks_of_other_systems_are_understood_and_kept(
    registered: Cli, ending: str, mark: str
) -> None:
    data = (mark + MESSAGE.replace("written: by hand", "written by hand").replace("\n", ending)).encode()
    (registered.bus / "beta/inbox" / f"{ID}.md").write_bytes(data)
    (message,) = registered("check", "beta", "--json").json["messages"]
    assert (message["from"], message["priority"], message["subject"]) == ("alpha", "high", "written by hand")
    assert message["flags"] == []
    shown = registered("read", "beta", ID).out
    assert "The first line.\n\nThe last line.\n" in shown
    assert registered("read", "beta", ID, "--raw").stdout == data
    for verb in ("archive", "unarchive"):
        assert registered(verb, "beta", ID).code == 0
    assert read_box(registered.bus / "beta").inbox == {ID: data}


def test_a_message_moved_by_hand_is_where_it_was_moved(registered: Cli) -> None:
    box = registered.bus / "beta"
    (box / "inbox" / f"{ID}.md").write_text(MESSAGE)
    tool("mv", box / "inbox" / f"{ID}.md", box / "archive" / f"{ID}.md")
    assert registered("check", "beta").out.startswith("beta: no mail")
    tool("gzip", "-9", box / "archive" / f"{ID}.md")
    assert "The last line." in registered("read", "beta", ID).out
    tool("gunzip", box / "archive" / f"{ID}.md.gz")
    tool("mv", box / "archive" / f"{ID}.md", box / "inbox" / f"{ID}.md")
    assert ID in registered("check", "beta").out


def test_a_file_without_a_header_is_listed_and_can_be_archived(registered: Cli) -> None:
    (registered.bus / "beta/inbox/note.md").write_text("only text\n")
    (row,) = registered("check", "beta").lines[1:-1]
    assert row.startswith("note  ?  normal  ?  (no subject)")
    assert "no-header" in row
    assert "only text" in registered("read", "beta", "note").out
    assert registered("archive", "beta", "note").code == 0
    assert tool("gunzip", "-c", registered.bus / "beta/archive/note.md.gz").out == "only text\n"
