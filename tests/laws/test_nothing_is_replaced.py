"""What stands under a name stays there, byte for byte, whoever comes with the same name."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.errors import AgentMailError
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.unarchive import unarchive
from tests.support.cli import Cli
from tests.support.faults import FaultyDisk, crashes
from tests.support.reader import header_and_body, read_box
from tests.support.worlds import OPERATIONS, World, age, attempt, tell

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


def test_archiving_beside_the_same_message_that_a_tape_padded(world: World) -> None:
    box = world.path / "beta"
    message = (box / "inbox" / f"{world.waiting}.md").read_bytes()
    taken = box / "archive" / f"{world.waiting}.md.gz"
    taken.write_bytes(padded := gzip.compress(message) + bytes(10_240))
    done = archive(Call(world.bus()), "beta", [world.waiting])
    assert (done["messages"][0]["outcome"], done["warnings"]) == ("archived", [])
    assert taken.read_bytes() == padded
    assert sorted(name for name in os.listdir(taken.parent) if world.waiting in name) == [taken.name]
    assert unarchive(Call(world.bus()), "beta", world.waiting)["messages"][0]["outcome"] == "unarchived"
    assert (box / "inbox" / f"{world.waiting}.md").read_bytes() == message


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


def moved_onto(file: Path, other: bytes = OTHER) -> None:
    """Another file gets the name, as by `mv`."""
    new = file.with_name(".new")
    new.write_bytes(other)
    new.rename(file)


def edited_in_place(file: Path) -> None:
    """The same file gets other bytes, where there is one; else it is made."""
    if file.exists():
        with file.open("r+b") as opened:
            opened.write(OTHER)
            opened.truncate(max(len(OTHER), file.stat().st_size))
    else:
        file.write_bytes(OTHER)


def edited_in_one_tick(file: Path) -> None:
    """The same file gets other bytes, and neither its length nor its time says so."""
    info = file.stat() if file.exists() else None
    edited_in_place(file)
    if info:
        os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))


def moved_onto_and_made_old(file: Path) -> None:
    """Another file as old as the one that had the name."""
    moved_onto(file)
    age(file, 100)


#: What leaves which folder by which operation: the attribute of the world, and the ending of the file.
LEAVING = {
    "archive": ("inbox", "waiting", ".md"),
    "unarchive": ("archive", "archived", ".md.gz"),
    "prune": ("archive", "expired", ".md.gz"),
}


#: A prune goes by the age, so an edit that leaves the age as it was is none to it.
CHANGES = [
    (verb, change)
    for verb in LEAVING
    for change in (moved_onto, moved_onto_and_made_old, edited_in_place, edited_in_one_tick)
    if (verb, change) != ("prune", edited_in_one_tick)
]


@pytest.mark.parametrize("verb, change", CHANGES)
def test_what_another_program_puts_under_the_name_before_any_call_is_kept(
    world: World, quick_path: Path, verb: str, change: Callable[[Path], None]
) -> None:
    """A file is removed only as it was looked at: one that came later stays, and the exit code says so."""
    calls = FaultyDisk()
    assert attempt(OPERATIONS[verb], world.copy(quick_path / "alone"), calls).code == 0
    folder, which, ending = LEAVING[verb]
    codes = set()
    for at in range(len(calls.calls)):
        copy = world.copy(quick_path / f"{at}")
        box = copy.path / "beta"
        file = box / folder / f"{getattr(copy, which)}{ending}"

        def meddle(number: int, _op: str, at: int = at, file: Path = file) -> None:
            if number == at:
                change(file)

        outcome = attempt(OPERATIONS[verb], copy, FaultyDisk(watch=meddle))
        files = [path for place in ("inbox", "archive") for path in (box / place).iterdir()]
        assert not [path for path in files if path.name.startswith(".")]
        assert any(holds(path, OTHER) for path in files) or was_looked_at(verb, calls.calls, at), (
            at,
            outcome,
        )
        codes.add(outcome.code)
    assert codes & {1, 4}


def holds(path: Path, data: bytes) -> bool:
    """True if the file begins with these bytes, compressed or not."""
    found = path.read_bytes()
    if found.startswith(b"\x1f\x8b"):
        try:
            found = gzip.decompress(found)
        except (EOFError, OSError):
            return False
    return found.startswith(data)


def was_looked_at(verb: str, calls: list[str], at: int) -> bool:
    """A prune goes by the age alone: what is that old before it looks may go."""
    return verb == "prune" and at < calls.index("rename")


def test_an_editor_that_writes_when_the_name_is_gone_already_keeps_its_text(
    world: World, quick_path: Path
) -> None:
    """The file was open before it was archived, and is written between the last look and the end."""
    calls = FaultyDisk()
    attempt(OPERATIONS["archive"], world.copy(quick_path / "alone"), calls)
    for at in (number for number, op in enumerate(calls.calls) if op == "unlink"):
        copy = world.copy(quick_path / f"{at}")
        file = copy.path / "beta" / "inbox" / f"{copy.waiting}.md"
        with file.open("r+b", buffering=0) as editor:

            def write(number: int, _op: str, at: int = at, editor: Any = editor) -> None:
                if number == at:
                    editor.seek(0, os.SEEK_END)
                    editor.write(b"late")

            outcome = attempt(OPERATIONS["archive"], copy, FaultyDisk(watch=write))
        box = read_box(copy.path / "beta")
        texts = [*box.inbox.values(), *box.archive.values()]
        kept = any(text.endswith(b"late") for text in texts)
        after_all = copy.waiting not in box.inbox and calls.calls[at - 1] != "read"
        assert kept or after_all, (at, outcome)


@pytest.mark.parametrize("foreign", [False, True])
def test_a_file_that_a_kill_left_under_its_private_name_is_found_by_the_next_try(
    world: World, quick_path: Path, foreign: bool
) -> None:
    calls = FaultyDisk()
    attempt(OPERATIONS["archive"], world.copy(quick_path / "alone"), calls)
    inbox = world.path / "beta" / "inbox"
    message = (inbox / f"{world.waiting}.md").read_bytes()
    rename = calls.calls.index("rename")

    def meddle(number: int, _op: str) -> None:
        if number == rename and foreign:
            moved_onto(inbox / f"{world.waiting}.md")

    attempt(OPERATIONS["archive"], world, FaultyDisk(crashes, rename + 1, watch=meddle))
    assert [name for name in os.listdir(inbox) if name.startswith(".removing-")]
    assert attempt(OPERATIONS["archive"], world, FaultyDisk()).code == 0
    box = read_box(world.path / "beta")
    assert not box.hidden
    texts = [*box.inbox.values(), *box.archive.values()]
    assert texts.count(message) == 1
    assert texts.count(OTHER) == foreign


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


def test_no_file_is_cut_and_renames_on_the_bus_have_four_places() -> None:
    """The calls that could replace: a mailbox, which takes the name of no file and of no directory that has entries;
    what is ours to change under a lock; behind a look; to a random hidden name."""
    source = Path(__file__).parents[2] / "agentmail"
    texts = {str(path.relative_to(source)): path.read_text() for path in source.rglob("*.py")}
    assert not [path for path, text in texts.items() if "O_TRUNC" in text or ".truncate(" in text]
    renaming = [path for path, text in sorted(texts.items()) if "disk.rename(" in text]
    assert [path for path in renaming if path.startswith("core/")] == [
        "core/locked_edit.py",
        "core/moving_mailboxes.py",
        "core/publishing.py",
        "core/removing.py",
    ]
