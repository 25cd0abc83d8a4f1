"""Two programs on one mailbox, in every order of their calls: nothing lost, nothing replaced, no id given twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus, Clock
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.prune import prune
from agentmail.verbs.register import register
from agentmail.verbs.unarchive import unarchive
from tests.laws.conftest import Orders
from tests.support.clocks import Fixed
from tests.support.faults import FaultyDisk
from tests.support.reader import header_and_body
from tests.support.worlds import MOMENT, Operation, Outcome, World, age, tell

BODY = b"text"


pytestmark = pytest.mark.usefixtures("private_umask")


def small_world(path: Path) -> World:
    """beta, with one message waiting, whose id alpha may mint again this minute."""
    bus = Bus(str(path), FaultyDisk(), Fixed(MOMENT))
    register(Call(bus, Environment({"HOME": "/"})), "beta", "-", "what beta does")
    (path / "beta" / ".upkeep").touch()  # this hour's upkeep is done
    waiting = tell(bus, "alpha", "beta", "x", BODY)
    return World(path, waiting, "", "", "")


def try_send(bus: Bus, _world: World) -> Outcome:
    return Outcome(0, tell(bus, "alpha", "beta", "x", BODY))


def try_archive(bus: Bus, world: World) -> Outcome:
    (one,) = archive(Call(bus), "beta", [world.waiting])["messages"]
    return Outcome(one.get("exit", 0), one["outcome"])


def try_unarchive(bus: Bus, world: World) -> Outcome:
    return Outcome(0, unarchive(Call(bus), "beta", world.waiting)["messages"][0]["outcome"])


def try_prune(bus: Bus, _world: World) -> Outcome:
    bus.clock = Clock()
    done = prune(Call(bus), "beta", "60")
    return Outcome(0, (done["removed"], done["failed"]))


def test_two_senders_of_one_minute_never_share_an_id(orders: Orders, quick_path: Path) -> None:
    world = small_world(quick_path / "bus")
    for outcomes, box in orders(try_send, try_send, world, quick_path):
        ids = [str(outcome.value) for outcome in outcomes]
        assert len({world.waiting, *ids}) == 3
        for id in ids:
            header, body = header_and_body(box.inbox[id])
            assert (header["id"], body) == (id, BODY)
        assert not box.tmp


@pytest.mark.parametrize("first, second", [(try_send, try_archive), (try_archive, try_send)])
def test_an_id_that_archiving_frees_is_not_given_again(
    orders: Orders, quick_path: Path, first: Operation, second: Operation
) -> None:
    world = small_world(quick_path / "bus")
    for outcomes, box in orders(first, second, world, quick_path):
        assert {outcome.code for outcome in outcomes} == {0}
        assert sorted(box.received) == [world.waiting, f"{world.waiting}-2"]


@pytest.mark.parametrize("first_archived", [False, True])
def test_archiving_and_taking_back_never_lose_the_message(
    orders: Orders, quick_path: Path, first_archived: bool
) -> None:
    world = small_world(quick_path / "bus")
    if first_archived:
        archive(Call(world.bus()), "beta", [world.waiting])
    for first, second in ((try_archive, try_unarchive), (try_unarchive, try_archive)):
        for outcomes, box in orders(first, second, world, quick_path / first.__name__):
            assert world.waiting in box.received
            assert {outcome.code for outcome in outcomes} <= {0, 1, 75}
            for outcome in outcomes:
                assert outcome.code != 1 or "no message" in str(outcome.error)


@pytest.mark.parametrize("operation", [try_archive, try_unarchive])
def test_two_that_do_the_same_both_succeed(orders: Orders, quick_path: Path, operation: Operation) -> None:
    world = small_world(quick_path / "bus")
    if operation is try_unarchive:
        archive(Call(world.bus()), "beta", [world.waiting])
    for outcomes, box in orders(operation, operation, world, quick_path):
        assert {outcome.code for outcome in outcomes} <= {0, 75}
        assert 0 in [outcome.code for outcome in outcomes]
        assert [world.waiting in box.inbox, world.waiting in box.archive].count(True) == 1
        assert not box.hidden


def test_what_is_archived_now_is_not_pruned_as_old(orders: Orders, quick_path: Path) -> None:
    """The message stands in both places since a crash, and its archived copy is past its age."""
    world = small_world(quick_path / "bus")
    box = world.path / "beta"
    waiting = (box / "inbox" / f"{world.waiting}.md").read_bytes()
    archive(Call(world.bus()), "beta", [world.waiting])
    (box / "inbox" / f"{world.waiting}.md").write_bytes(waiting)
    age(box / "archive" / f"{world.waiting}.md.gz", 100)
    for first, second in ((try_archive, try_prune), (try_prune, try_archive)):
        for outcomes, after in orders(first, second, world, quick_path / first.__name__):
            assert world.waiting in after.received, outcomes


def test_of_two_prunes_one_at_least_removes_what_is_past_its_age_and_none_fails_on_it(
    orders: Orders,
    quick_path: Path,
) -> None:
    world = small_world(quick_path / "bus")
    archive(Call(world.bus()), "beta", [world.waiting])
    age(world.path / "beta" / "archive" / f"{world.waiting}.md.gz", 100)
    for outcomes, after in orders(try_prune, try_prune, world, quick_path):
        assert {outcome.code for outcome in outcomes} <= {0, 75}  # 75: the other kept the lock all the time
        assert [outcome.value for outcome in outcomes if outcome.code == 0 and outcome.value != ([], [])] == [
            ([f"archive/{world.waiting}.md.gz"], [])
        ]
        assert after.received == {}


def test_a_sender_never_takes_the_id_of_a_message_on_its_way_back(orders: Orders, quick_path: Path) -> None:
    world = small_world(quick_path / "bus")
    archive(Call(world.bus()), "beta", [world.waiting])
    for outcomes, box in orders(try_send, try_unarchive, world, quick_path):
        assert sorted(box.inbox) == sorted([world.waiting, str(outcomes[0].value)])
        assert not box.archive
