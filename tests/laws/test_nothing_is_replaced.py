"""What stands under a name stays there, byte for byte, whoever comes with the same name."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.core.errors import AgentMailError
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.unarchive import unarchive
from tests.support.cli import Cli
from tests.support.faults import FaultyDisk
from tests.support.reader import header_and_body, read_box
from tests.support.worlds import World, tell

OTHER = b"---\nid: other\n---\nanother message\n"


def corrupt(message: bytes) -> bytes:
    whole = bytearray(gzip.compress(message))
    whole[len(whole) // 2] ^= 0xFF
    return bytes(whole)


#: What may stand in the archive under the name that a message is to get, made from the message.
PLANTED: dict[str, Callable[[bytes], bytes]] = {
    "another message": lambda message: gzip.compress(OTHER),
    "a cut file": lambda message: gzip.compress(message)[:-9],
    "a corrupt file": corrupt,
    "an empty file": lambda message: b"",
    "a message that is not compressed": lambda message: message,
    "the message and more": lambda message: gzip.compress(message + b"x"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_archiving_beside_another_file_of_the_name(world: World, planted: str) -> None:
    box = world.path / "beta"
    message = (box / "inbox" / f"{world.waiting}.md").read_bytes()
    taken = box / "archive" / f"{world.waiting}.md.gz"
    taken.write_bytes(PLANTED[planted](message))
    done = archive(Call(world.bus()), "beta", [world.waiting])
    assert done["messages"][0]["outcome"] == "archived"
    assert "left alone" in done["warnings"][0]
    assert taken.read_bytes() == PLANTED[planted](message)
    assert gzip.decompress((box / "archive" / f"{world.waiting}.dup2.md.gz").read_bytes()) == message
    assert not (box / "inbox" / f"{world.waiting}.md").exists()


@pytest.mark.parametrize("level", [1, 9])
def test_archiving_beside_the_same_message_of_another_hand(world: World, level: int) -> None:
    box = world.path / "beta"
    message = (box / "inbox" / f"{world.waiting}.md").read_bytes()
    taken = box / "archive" / f"{world.waiting}.md.gz"
    taken.write_bytes(planted := gzip.compress(message, level))
    done = archive(Call(world.bus()), "beta", [world.waiting])
    assert done["messages"][0]["outcome"] == "archived"
    assert taken.read_bytes() == planted
    assert sorted(name for name in os.listdir(taken.parent) if world.waiting in name) == [taken.name]
    assert not (box / "inbox" / f"{world.waiting}.md").exists()


def test_every_duplicate_finds_a_name_of_its_own(world: World) -> None:
    box = world.path / "beta"
    inbox = box / "inbox" / f"{world.waiting}.md"
    for number in range(5):
        inbox.write_bytes(OTHER + b"%d" % number)
        archive(Call(world.bus()), "beta", [world.waiting])
    kept = {name: data for name, data in read_box(box).archive.items() if name.startswith(world.waiting)}
    assert sorted(kept.values()) == [OTHER + b"%d" % number for number in range(5)]
    assert sorted(kept) == [world.waiting, *(f"{world.waiting}.dup{number}" for number in range(2, 6))]


def test_taking_back_beside_another_message_of_the_name(world: World) -> None:
    box = world.path / "beta"
    before = read_box(box).archive
    taken = box / "inbox" / f"{world.archived}.md"
    taken.write_bytes(OTHER)
    with pytest.raises(AgentMailError) as refused:
        unarchive(Call(world.bus()), "beta", world.archived)
    assert refused.value.exit_code == 1
    assert taken.read_bytes() == OTHER
    assert read_box(box).archive == before


def test_a_message_that_somebody_rewrites_while_it_is_archived_is_kept_both_ways(
    world: World, quick_path: Path
) -> None:
    """A message is not to be changed, but a person can: up to the last look, what they saved stays."""
    calls = FaultyDisk()
    archive(Call(world.copy(quick_path / "alone").bus(calls)), "beta", [world.waiting])
    last_look = calls.calls.index("stat", calls.calls.index("link"))
    kept = set()
    for at in range(last_look + 1):
        copy = world.copy(quick_path / f"{at}")
        inbox = copy.path / "beta" / "inbox" / f"{copy.waiting}.md"
        message = inbox.read_bytes()

        def rewrite(number: int, _op: str, at: int = at, inbox: Path = inbox) -> None:
            if number == at:
                new = inbox.with_name(".new")
                new.write_bytes(OTHER)
                new.rename(inbox)

        (done,) = archive(Call(copy.bus(FaultyDisk(watch=rewrite))), "beta", [copy.waiting])["messages"]
        box = read_box(copy.path / "beta")
        assert OTHER in (box.inbox.get(copy.waiting), box.archive.get(copy.waiting))
        if OTHER in box.inbox.values():
            assert done["exit"] == 4
            assert box.archive[copy.waiting] == message
        kept.add(OTHER in box.inbox.values())
    assert kept == {True, False}


def test_two_senders_whose_ids_are_the_same_words(world: World) -> None:
    """`a` with slug `b-c` and `a-b` with slug `c` mint one id: the second gets a suffix, and both say who they are."""
    first = tell(world.bus(), "a", "beta", "b-c")
    second = tell(world.bus(), "a-b", "beta", "c")
    assert second == f"{first}-2"
    inbox = read_box(world.path / "beta").inbox
    assert [header_and_body(inbox[id])[0]["from"] for id in (first, second)] == ["a", "a-b"]


@pytest.mark.parametrize("name", ["inbox/{}.md", "archive/{}.md.gz", "archive/{}.md", "tmp/{}.md"])
@pytest.mark.parametrize("kind", ["file", "directory", "symlink", "dangling"])
def test_a_sender_passes_by_whatever_has_its_name(world: World, name: str, kind: str) -> None:
    id = tell(world.bus(), "alpha", "delta", "new")
    place = world.path / "beta" / name.format(id)
    if kind == "file":
        place.write_bytes(OTHER)
    elif kind == "directory":
        place.mkdir()
    else:
        place.symlink_to(world.path / ("registry.md" if kind == "symlink" else "nowhere"))
    registry = (world.path / "registry.md").read_bytes()
    before = place.lstat()
    for path in ("alpha/sent", "delta/inbox"):
        (world.path / path / f"{id}.md").unlink()
    assert tell(world.bus(), "alpha", "beta", "new") == f"{id}-2"
    after = place.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
        before.st_ino,
        before.st_size,
        before.st_mtime_ns,
    )
    assert (world.path / "registry.md").read_bytes() == registry
    assert not (world.path / "nowhere").exists()


def test_four_programs_archive_one_message(run: Cli) -> None:
    """Real processes, started together on each of several messages."""
    assert run("register", "beta", "-", "what beta does").code == 0
    for number in range(3):
        id = run("send", "alpha", "beta", f"m{number}", stdin="text").out.strip()
        message = read_box(run.bus / "beta").inbox[id]
        programs = [run.start("archive", "beta", id) for _ in range(4)]
        ended = [(program.communicate(timeout=30), program.returncode) for program in programs]
        assert [code for _, code in ended] == [0, 0, 0, 0], ended
        box = read_box(run.bus / "beta")
        assert (box.inbox, box.archive[id], box.hidden) == ({}, message, [])
    assert len(os.listdir(run.bus / "beta" / "archive")) == 3
    assert not os.listdir(run.bus / "beta" / "tmp")


def test_no_file_is_cut_and_renames_on_the_bus_have_two_places() -> None:
    """The calls that could replace: one rename, for what is ours to change under a lock; one behind a look."""
    source = Path(__file__).parents[2] / "agentmail"
    texts = {str(path.relative_to(source)): path.read_text() for path in source.rglob("*.py")}
    assert not [path for path, text in texts.items() if "O_TRUNC" in text or ".truncate(" in text]
    renaming = [path for path, text in sorted(texts.items()) if "disk.rename(" in text]
    assert [path for path in renaming if path.startswith("core/")] == [
        "core/locked_edit.py",
        "core/publishing.py",
    ]
