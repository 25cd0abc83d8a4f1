"""A shell script and our program on one bus at the same time, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.interop.conftest import Helper, tool
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_box

#: What a shell script writes without quotes and YAML reads as something else, or not at all.
SUBJECTS = [
    *("re: fix: x", "[x", '"q', "#", "a #b", "- x", "@x", "%", "#12 is fixed", "a: b", "{x", "x:", "|", ">"),
    *("*x", "&x y", "!x", "`x`", "? x", "it's", "yes", "null", "~", "12:30", "20260704", "0x1F", "1e3"),
    *("| x |", "a\\nb", "= x", "<<", "---", "...", "ключ: значение"),
]


@pytest.mark.parametrize("part", range(4))
def test_a_subject_is_the_same_to_both_programs(run: Cli, helper: Helper, part: int) -> None:
    for identity in ("alpha", "beta"):
        assert helper("register", identity, "/srv/" + identity, "takes", "part").code == 0
    sent: dict[str, str] = {}
    ours = set()
    for number, subject in enumerate(SUBJECTS[part::4]):
        sent[helper("send", "alpha", "beta", f"theirs-{number}", subject).out.strip()] = subject
        dashes = ["--"] if subject.startswith("-") else []
        id = run("send", "alpha", "beta", f"ours-{number}", *dashes, subject).out.strip()
        sent[id] = subject
        ours.add(id)

    seen = run("check", "beta", "--json").json["messages"]
    assert {message["id"]: message["subject"] for message in seen} == sent
    assert [message["flags"] for message in seen if message["id"] in ours] == [[]] * len(ours)

    for line in helper("check", "beta").lines:
        id, sender, written = line.split("  ", 2)
        # What the script prints of ours is YAML: quoted where it would be misread.
        meant = yaml.safe_load(f"subject: {written}")["subject"] if id in ours else written
        assert (sender, meant) == ("alpha", sent[id])


def test_each_program_lists_archives_and_reads_messages_of_the_other(registered: Cli, helper: Helper) -> None:
    theirs = helper("send", "alpha", "beta", "theirs", "Hello", stdin="their text\n").out.strip()
    ours = registered("send", "alpha", "beta", "ours", "Hello", stdin="our text\n").out.strip()
    waiting = {line.split("  ")[0] for line in helper("check", "beta").lines}
    assert (
        waiting == {theirs, ours} == {line.split("  ")[0] for line in registered("check", "beta").lines[1:-1]}
    )

    before = read_box(registered.bus / "beta").inbox
    assert registered("archive", "beta", theirs).lines == [f"archived {theirs}"]
    assert helper("archive", "beta", ours).code == 0
    box = read_box(registered.bus / "beta")
    assert (box.inbox, box.archive, box.broken) == ({}, before, [])

    for id, text in ((theirs, "their text"), (ours, "our text")):
        assert text in registered("read", "beta", id).out
        path = registered.bus / "beta/archive" / f"{id}.md.gz"
        assert tool("gunzip", "-c", path).stdout == before[id]
        assert tool("zgrep", "-c", text, path).lines == ["1"]
        assert registered("archive", "beta", id).lines == [f"already archived {id}"]
        assert registered("unarchive", "beta", id).code == 0
    assert read_box(registered.bus / "beta").inbox == before
    assert registered("archive", "beta", theirs, ours).code == 0
    assert helper("check", "beta").lines == []


def test_a_program_that_knows_no_addresses_reads_and_archives_a_message_to_one(
    registered: Cli, helper: Helper
) -> None:
    ours = registered("send", "alpha", "beta@/srv/a;b 构建.new", "ours", "Hello").out.strip()
    assert [line.split("  ") for line in helper("check", "beta").lines] == [[ours, "alpha", "Hello"]]
    header, _ = header_and_body(read_box(registered.bus / "beta").inbox[ours])
    assert (header["to"], header["thread"]) == ("beta", ours)
    assert helper("archive", "beta", ours).code == 0
    assert registered("thread", "beta", ours, "--json").json["messages"][0]["workspaces"] == {
        "beta": "/srv/a;b 构建"
    }


def test_an_answer_to_a_message_of_the_script_reaches_its_sender(registered: Cli, helper: Helper) -> None:
    theirs = helper("send", "alpha", "beta", "question", "re: what: now", stdin="text\n").out.strip()
    answer = registered("reply", "beta", theirs, stdin="this\n").out.strip()
    (line,) = helper("check", "alpha").lines
    assert line.startswith(f"{answer}  beta  ")
    header, body = header_and_body(read_box(registered.bus / "alpha").inbox[answer])
    assert (header["re"], header["thread"], body) == (theirs, "question", b"this\n")


def test_both_send_at_once_and_everything_arrives(registered: Cli, helper: Helper) -> None:
    def send(number: int) -> tuple[str, bytes]:
        program = helper if number % 2 else registered
        ran = program("send", "alpha", "beta", f"n{number}", "S", stdin=f"text {number}\n", env={"TZ": "UTC"})
        assert ran.code == 0, ran
        return ran.out.strip(), f"text {number}\n".encode()

    with ThreadPoolExecutor(4) as pool:
        sent = dict(pool.map(send, range(16)))
    box = read_box(registered.bus / "beta")
    assert {id: header_and_body(data)[1] for id, data in box.inbox.items()} == sent
    assert (len(sent), box.tmp, box.broken) == (16, [], [])
    shown = [line.split("  ")[0] for line in registered("check", "beta").lines[1:-1]]
    assert sorted(shown) == sorted(sent)
    assert [id[:13] for id in shown] == sorted(id[:13] for id in sent)


def test_our_program_never_overwrites_a_message_of_the_script(registered: Cli, helper: Helper) -> None:
    theirs = helper("send", "alpha", "beta", "same", stdin="theirs\n").out.strip()
    ours = registered("send", "alpha", "beta", "same", stdin="ours\n").out.strip()
    box = read_box(registered.bus / "beta")
    bodies = {id: header_and_body(data)[1] for id, data in box.inbox.items()}
    assert bodies == {theirs: b"theirs\n", ours: b"ours\n"}
    if ours[:13] == theirs[:13]:
        assert ours == f"{theirs}-2"
        assert helper("archive", "beta", theirs).code == 0
        assert registered("send", "alpha", "beta", "same", stdin="more\n").out.strip() not in (theirs, ours)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_a_script_in_another_zone_hides_nothing(registered: Cli, helper: Helper, zone: str) -> None:
    ours = registered("send", "alpha", "beta", "ours", stdin="text\n", env={"TZ": zone}).out.strip()
    theirs = helper("send", "alpha", "beta", "theirs", stdin="text\n", env={"TZ": zone}).out.strip()
    rows = {line.split("  ")[0]: line for line in registered("check", "beta", env={"TZ": zone}).lines[1:-1]}
    assert set(rows) == {ours, theirs}
    assert "in-the-future" not in rows[ours]
    assert ("in-the-future" in rows[theirs]) == (theirs > ours)


def test_each_program_prunes_only_old_messages_that_the_other_archived(
    registered: Cli, helper: Helper, age: Callable[[Path, int], None]
) -> None:
    archive = registered.bus / "beta/archive"
    paths: dict[str, Path] = {}
    for name in ("old-a", "young-a", "old-b", "young-b"):
        sender, archiver = (registered, helper) if name.endswith("a") else (helper, registered)
        id = sender("send", "alpha", "beta", name, stdin="text\n").out.strip()
        assert archiver("archive", "beta", id).code == 0
        paths[name] = archive / f"{id}.md.gz"
    plain = archive / "20200101-1200-alpha-plain.md"
    plain.write_text("---\nid: 20200101-1200-alpha-plain\nfrom: alpha\nto: beta\n---\nold\n")

    age(paths["old-a"], 70)
    assert registered("prune", "beta").lines[:-1] == [f"removed beta/archive/{paths['old-a'].name}"]
    age(plain, 70)
    assert registered("prune", "beta").lines[:-1] == [f"removed beta/archive/{plain.name}"]
    age(paths["old-b"], 70)
    assert helper("prune", "beta").code == 0
    assert sorted(archive.glob("[!.]*")) == sorted([paths["young-a"], paths["young-b"]])


def test_archive_files_that_are_not_compressed_are_read_and_taken_back(
    registered: Cli, helper: Helper
) -> None:
    id = helper("send", "alpha", "beta", "plain", "S", stdin="old text\n").out.strip()
    data = (registered.bus / "beta/inbox" / f"{id}.md").read_bytes()
    tool("mv", registered.bus / "beta/inbox" / f"{id}.md", registered.bus / "beta/archive" / f"{id}.md")
    assert "old text" in registered("read", "beta", id).out
    assert registered("archive", "beta", id).lines == [f"already archived {id}"]
    assert registered("unarchive", "beta", id).code == 0
    box = read_box(registered.bus / "beta")
    assert (box.inbox, box.archive) == ({id: data}, {})


def test_rows_of_either_program_are_known_to_the_other(run: Cli, helper: Helper) -> None:
    assert helper("register", "alpha", "/srv/alpha", "writes", "|", "reads").code == 0
    assert run("register", "beta", "/srv/beta", "reads").code == 0
    assert helper("register", "gamma", "/srv/gamma", "counts").code == 0
    before = (run.bus / "registry.md").read_bytes()
    assert helper("register", "beta", "/srv/other", "ignored").code == 0
    assert (run.bus / "registry.md").read_bytes() == before
    # Nothing here is a directory of this machine, which our program says and the registry does not mind.
    assert run("register", "gamma", "/srv/gamma", "counts").out.startswith("unchanged gamma")
    assert [line.split("  ")[:2] for line in run("roster").lines] == [
        ["alpha", "/srv/alpha"],
        ["beta", "/srv/beta"],
        ["gamma", "/srv/gamma"],
    ]
    assert "| beta | /srv/beta | reads |" in helper("roster").lines
    for sender, to in (("alpha", "gamma"), ("gamma", "beta"), ("beta", "alpha")):
        assert "not registered" not in run("send", sender, to, "hello", stdin="text\n").err
        assert helper("send", sender, to, "hi", stdin="text\n").code == 0
