"""A message that comes with an id of its own is accepted once, and never in place of another one."""

from __future__ import annotations

import fcntl
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.core.delivery import Accepted, accept
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import Disk
from tests.laws.conftest import Orders
from tests.support.faults import FAULTS, FaultyDisk, NotApplicable
from tests.support.reader import read_box
from tests.support.trees import tree
from tests.support.worlds import (
    BODY,
    CARRIED,
    CARRIED_ID,
    OPERATIONS,
    Outcome,
    World,
    attempt,
    post,
    try_accept,
)

OTHER = b"---\nid: other\n---\nanother message\n"
INBOX, PACKED, PLAIN = f"inbox/{CARRIED_ID}.md", f"archive/{CARRIED_ID}.md.gz", f"archive/{CARRIED_ID}.md"


def accepted(world: World, data: bytes = CARRIED, disk: Disk | None = None) -> Accepted:
    bus = world.bus()
    bus.disk = disk or bus.disk
    with bus.mailbox("beta") as box:
        return accept(box, CARRIED_ID, data)


def planted(world: World, name: str, data: bytes) -> Path:
    path = world.path / "beta" / name
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    return path


def test_a_new_message_is_in_the_inbox(world: World) -> None:
    done = accepted(world)
    assert (done.outcome, done.path) == ("new", INBOX)
    assert read_box(world.path / "beta").inbox[CARRIED_ID] == CARRIED


@pytest.mark.parametrize("name", [INBOX, PACKED, PLAIN])
def test_the_same_bytes_are_there_already(world: World, name: str) -> None:
    planted(world, name, CARRIED)
    before = tree(world.path)
    done = accepted(world)
    assert (done.outcome, done.path) == ("already", name)
    assert tree(world.path) == before


@pytest.mark.parametrize("name", [INBOX, PACKED, PLAIN])
def test_other_bytes_under_the_id_are_a_conflict_and_stay(world: World, name: str) -> None:
    planted(world, name, OTHER)
    before = tree(world.path)
    done = accepted(world)
    assert (done.outcome, done.path) == ("conflict", name)
    assert tree(world.path) == before


@pytest.mark.parametrize("kind", ["directory", "symlink", "dangling", "cut"])
@pytest.mark.parametrize("name", [INBOX, PACKED])
def test_whatever_else_has_the_name_is_a_conflict_and_stays(world: World, name: str, kind: str) -> None:
    path = world.path / "beta" / name
    if kind == "directory":
        path.mkdir()
    elif kind == "cut":
        path.write_bytes(CARRIED[:-1])
    else:
        path.symlink_to(world.path / ("registry.md" if kind == "symlink" else "nowhere"))
    before = tree(world.path)
    assert accepted(world).outcome == "conflict"
    assert tree(world.path) == before


def test_the_same_bytes_in_the_archive_count_beside_other_bytes_in_the_inbox(world: World) -> None:
    planted(world, INBOX, OTHER)
    planted(world, PACKED, CARRIED)
    before = tree(world.path)
    done = accepted(world)
    assert (done.outcome, done.path) == ("already", PACKED)
    assert tree(world.path) == before


@pytest.mark.parametrize("id", ["../x", "a/b", "", ".hidden", "-x", "x\n"])
def test_what_is_no_id_is_refused(world: World, id: str) -> None:
    before = tree(world.path)
    with world.bus().mailbox("beta") as box, pytest.raises(Refused):
        accept(box, id, CARRIED)
    assert tree(world.path) == before


def test_a_claim_whose_owner_died_stops_nothing_and_is_left_as_it_was(world: World) -> None:
    claim = planted(world, f"tmp/{CARRIED_ID}.md", b"---\nid: half")
    for outcome in ("new", "already"):
        assert accepted(world).outcome == outcome
    box = read_box(world.path / "beta")
    assert (box.inbox[CARRIED_ID], box.hidden) == (CARRIED, [])
    assert claim.read_bytes() == b"---\nid: half"


def test_a_claim_whose_owner_lives_is_waited_for_and_never_robbed(world: World) -> None:
    class Impatient(Disk):
        patience = 0.0

    claim = planted(world, f"tmp/{CARRIED_ID}.md", b"---\nid: half")
    before = tree(world.path)
    with claim.open("rb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        with pytest.raises(TryAgain, match="nothing was accepted"):
            accepted(world, disk=Impatient())
    assert tree(world.path) == before
    assert accepted(world).outcome == "new"


# A fault at every call, beyond a healthy start: tests/laws/test_every_fault_at_every_call.py has that one.

STARTS: dict[str, tuple[str, bytes, str]] = {
    "the same in the inbox": (INBOX, CARRIED, "already"),
    "the same in the archive": (PACKED, CARRIED, "already"),
    "another in the inbox": (INBOX, OTHER, "conflict"),
    "another in the archive": (PACKED, OTHER, "conflict"),
    "a claim whose owner died": (f"tmp/{CARRIED_ID}.md", b"---\nid: half", "new"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("start", STARTS)
def test_a_fault_at_any_call_changes_nothing_that_was_there(
    world: World, quick_path: Path, start: str, fault: str
) -> None:
    name, data, outcome = STARTS[start]
    path = planted(world, name, data)
    healthy = FaultyDisk()
    assert attempt(OPERATIONS["accept"], world.copy(quick_path / "healthy"), healthy).value == outcome
    for at, op in enumerate(healthy.calls):
        copy = world.copy(quick_path / f"{at}")
        try:
            met = attempt(OPERATIONS["accept"], copy, FaultyDisk(FAULTS[fault], at))
        except NotApplicable:
            continue
        where = f"call {at} ({op}) {fault}: {met}"
        box = read_box(copy.path / "beta")
        assert (copy.path / "beta" / name).read_bytes() == path.read_bytes(), where
        assert not box.broken, where
        there = CARRIED in (box.inbox.get(CARRIED_ID), box.archive.get(CARRIED_ID))
        if met.code in (0, 4) and outcome != "conflict":
            assert there, where
        if outcome == "new" and met.code == 75:
            assert not there, where
        if not fault.startswith("crashes"):
            assert met.code in (0, 1, 4, 75), where
        again = attempt(OPERATIONS["accept"], copy, FaultyDisk())
        assert again.value in (outcome, "already") if outcome == "new" else again.value == outcome, where


# Two at once


def try_accept_another(bus, _world: World) -> Outcome:
    with bus.mailbox("beta") as box:
        done = accept(box, CARRIED_ID, OTHER)
    return Outcome(1 if done.outcome == "conflict" else 0, done.outcome)


def try_send_the_same_id(bus, _world: World) -> Outcome:
    return Outcome(0, post(bus, "alpha", "beta", "carried", BODY)["id"])


def try_archive_it(bus, world: World) -> Outcome:
    return OPERATIONS["archive"](bus, World(world.path, CARRIED_ID, "", "", ""))


def try_unarchive_it(bus, world: World) -> Outcome:
    return OPERATIONS["unarchive"](bus, World(world.path, "", "", CARRIED_ID, ""))


def test_two_that_accept_the_same_message_leave_one(orders: Orders, world: World, quick_path: Path) -> None:
    for outcomes, box in orders(try_accept, try_accept, world, quick_path):
        assert {one.code for one in outcomes} <= {0, 75}
        assert [one.value for one in outcomes].count("new") == 1
        assert (box.inbox[CARRIED_ID], box.hidden) == (CARRIED, [])


def test_of_two_messages_of_one_id_one_is_accepted_and_stays(
    orders: Orders, world: World, quick_path: Path
) -> None:
    for outcomes, box in orders(try_accept, try_accept_another, world, quick_path):
        values = [one.value for one in outcomes]
        assert values.count("new") == 1
        assert {one.code for one in outcomes} <= {0, 1, 75}
        assert box.inbox[CARRIED_ID] == (CARRIED, OTHER)[values.index("new")]


@pytest.mark.parametrize(
    "first, second", [(try_accept, try_send_the_same_id), (try_send_the_same_id, try_accept)]
)
def test_a_sender_and_an_accepted_message_never_share_an_id(
    orders: Orders,
    world: World,
    quick_path: Path,
    first: Callable[..., Outcome],
    second: Callable[..., Outcome],
) -> None:
    for outcomes, box in orders(first, second, world, quick_path):
        by = dict(zip((first, second), outcomes, strict=True))
        sent = str(by[try_send_the_same_id].value)
        assert sent in (CARRIED_ID, f"{CARRIED_ID}-2")
        assert box.inbox[sent].endswith(BODY)
        if by[try_accept].value == "new":
            assert sent != CARRIED_ID
            assert box.inbox[CARRIED_ID] == CARRIED
        else:
            assert by[try_accept].code in (1, 75)


@pytest.mark.parametrize("name, move", [(INBOX, try_archive_it), (PACKED, try_unarchive_it)])
def test_a_message_that_is_moved_meanwhile_is_never_there_twice(
    orders: Orders, world: World, quick_path: Path, name: str, move: Callable[..., Outcome]
) -> None:
    planted(world, name, CARRIED)
    for outcomes, box in orders(try_accept, move, world, quick_path):
        assert outcomes[0].value in ("already", None), outcomes
        assert outcomes[0].code in (0, 75)
        assert [CARRIED_ID in box.inbox, CARRIED_ID in box.archive].count(True) == 1
        assert box.received[CARRIED_ID] == CARRIED
