"""Whatever call of a verb goes wrong, and however: what the bus promises stays true, and trying again ends it.

I1  exit 0: the message is there, whole, once.        I4  nothing that was there is replaced or cut.
I2  any other exit: whole or not at all.              I5  what waits is listed, or the exit code says why not.
I3  archiving: never in neither place.                I6  only the age rule removes, and only from the archive.
And 75 means what it says: nothing was delivered or moved.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.faults import FAULTS, FaultyDisk, NotApplicable
from tests.support.reader import header_and_body
from tests.support.worlds import (
    BODY,
    CARRIED,
    CARRIED_ID,
    MINUTE,
    TRIALS,
    Outcome,
    Seen,
    World,
    attempt,
    look,
    make_world,
)

#: How many calls each verb makes at least. A number that sinks means that calls no longer pass the gate.
FLOOR = {
    "send": 48,
    "send to two": 70,
    "accept": 24,
    "archive": 56,
    "unarchive": 27,
    "prune": 13,
    "register": 55,
    "check": 27,
}
SENT = f"{MINUTE}-alpha-hello"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory):
    before = os.umask(0o077)
    yield make_world(tmp_path_factory.mktemp("world") / "bus")
    os.umask(before)


@pytest.fixture
def healthy(world: World, quick_path: Path) -> Callable[[str], tuple[list[str], Seen]]:
    """The calls of a verb on a healthy disk, and what it leaves."""

    def run(verb: str) -> tuple[list[str], Seen]:
        disk = FaultyDisk()
        copy = world.copy(quick_path / f"healthy-{verb}")
        assert attempt(TRIALS[verb], copy, disk).code == 0
        return disk.calls, look(copy)

    return run


@pytest.mark.parametrize("verb", TRIALS)
def test_the_calls_of_a_verb_all_pass_the_gate(verb: str, healthy) -> None:
    calls, _ = healthy(verb)
    assert len(calls) >= FLOOR[verb], calls


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("verb", TRIALS)
def test_the_promises_hold(
    verb: str, fault: str, world: World, healthy, quick_path: Path, record_property
) -> None:
    calls, done = healthy(verb)
    before = look(world)
    points = 0
    for at, op in enumerate(calls):
        copy = world.copy(quick_path / f"{at}")
        disk = FaultyDisk(FAULTS[fault], at)
        try:
            outcome = attempt(TRIALS[verb], copy, disk)
        except NotApplicable:
            continue
        points += 1
        try:
            seen = look(copy)
            judge_everything(before, seen)
            JUDGES[verb](world, before, seen, outcome)
            judge_the_outcome(fault, op, outcome, disk, seen)
            judge_the_next_try(verb, before, copy, outcome, done)
        except AssertionError as error:
            raise AssertionError(f"{verb}, call {at} ({op}) {fault}: {outcome}") from error
    record_property("points", points)
    assert points >= (POINTS_OF[verb][fault] if fault in POINTS_OF[verb] else FLOOR[verb])


#: The faults that only some calls can have: how many of a verb's calls, at least.
POINTS_OF: dict[str, dict[str, int]] = {
    "send": {
        "is short": 4,
        "crashes halfway": 2,
        "stays broken with EIO": 11,
        "stays broken with ENOSPC": 11,
    },
    "send to two": {
        "is short": 5,
        "crashes halfway": 3,
        "stays broken with EIO": 16,
        "stays broken with ENOSPC": 16,
    },
    "accept": {
        "is short": 1,
        "crashes halfway": 1,
        "stays broken with EIO": 6,
        "stays broken with ENOSPC": 6,
    },
    "archive": {
        "is short": 2,
        "crashes halfway": 1,
        "stays broken with EIO": 15,
        "stays broken with ENOSPC": 15,
    },
    "unarchive": {
        "is short": 2,
        "crashes halfway": 1,
        "stays broken with EIO": 8,
        "stays broken with ENOSPC": 8,
    },
    "prune": {
        "is short": 0,
        "crashes halfway": 0,
        "stays broken with EIO": 2,
        "stays broken with ENOSPC": 2,
    },
    "register": {
        "is short": 7,
        "crashes halfway": 1,
        "stays broken with EIO": 15,
        "stays broken with ENOSPC": 15,
    },
    "check": {
        "is short": 4,
        "crashes halfway": 0,
        "stays broken with EIO": 0,
        "stays broken with ENOSPC": 0,
    },
}


def judge_everything(before: Seen, after: Seen) -> None:
    """What no fault of any verb may do: break a file, or change or lose a message."""
    for identity, box in after.boxes.items():
        assert not box.broken, (identity, box.broken)
    for identity, box in before.boxes.items():
        now = after.boxes[identity]
        for then, since in ((box.received, now.received), (box.sent, now.sent)):
            for id, data in then.items():
                if id.endswith("-expired"):
                    assert since.get(id, data) == data
                else:
                    assert since.get(id) == data, f"{id} is lost or changed"


def judge_the_outcome(fault: str, op: str, outcome: Outcome, disk: FaultyDisk, seen: Seen) -> None:
    """The outcome fits the fault, and what fails cleans up after itself."""
    if fault.startswith("crashes"):
        assert outcome.code is None
        return
    assert outcome.code in (0, 1, 4, 75)
    if fault in ("fails with EINTR", "is short"):
        assert outcome.code == 0, "a signal, or a short read or write, is no failure"
    if fault.startswith(("fails", "stays broken", "is short")) and op != "close":
        assert not disk.open, "descriptors stay open"
    if fault.startswith("fails") and op != "unlink":
        staged = [name for box in seen.boxes.values() for name in (*box.tmp, *box.hidden)]
        left = [name for name in staged if not name.endswith("-died.md")]
        left += [name for name in seen.root if name.startswith(".") and name != ".registry.lock"]
        assert not left, left


def judge_the_next_try(verb: str, before: Seen, world: World, outcome: Outcome, done: Seen) -> None:
    """The same verb again, on a healthy disk, ends what was begun."""
    if verb.startswith("send") and (outcome.code in (0, 4) or outcome.value):
        return  # it is delivered, to some at least: nobody tries again
    again = attempt(TRIALS[verb], world, FaultyDisk())
    assert again.code == 0, again
    after = look(world)
    judge_everything(before, after)
    if verb.startswith("send"):
        # One that was told 75 has sent one message; one that was killed cannot know, and may have sent two.
        new = [id for id in after.beta.inbox if id.startswith(SENT)]
        assert len(new) in ((1, 2) if outcome.code is None else (1,)), new
        return
    for identity, box in done.boxes.items():
        assert after.boxes[identity].inbox == box.inbox
        # What an upkeep that was killed left is the next hour's business.
        assert without_expired(after.boxes[identity].archive) == without_expired(box.archive)
    assert after.registry == done.registry


def without_expired(messages: dict[str, bytes]) -> dict[str, bytes]:
    return {id: data for id, data in messages.items() if not id.endswith("-expired")}


def new_ones(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, bytes]:
    """What has come, every one whole."""
    new = {id: data for id, data in after.items() if id not in before}
    for id, data in new.items():
        header, body = header_and_body(data)
        assert (header["id"], header["from"], body) == (id, "alpha", BODY)
    return new


def judge_send(_world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    new = new_ones(before.beta.inbox, after.beta.inbox)
    copy = new_ones(before.boxes["alpha"].sent, after.boxes["alpha"].sent)
    assert after.beta.archive == before.beta.archive
    if outcome.code in (0, 4):
        assert list(new) == [outcome.value]
    elif outcome.code is not None:
        assert not new, "it said that nothing was delivered"
    assert len(new) <= 1
    assert copy == new or (not copy and outcome.code != 0), (
        "a copy of what was delivered, and of nothing else"
    )


def judge_send_to_two(_world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    came = {
        identity: new_ones(before.boxes[identity].inbox, after.boxes[identity].inbox)
        for identity in ("beta", "delta")
    }
    copy = new_ones(before.boxes["alpha"].sent, after.boxes["alpha"].sent)
    ids = {id for new in came.values() for id in new}
    assert len(ids) <= 1, "one message has one id"
    assert len({data for new in (*came.values(), copy) for data in new.values()}) <= 1
    if isinstance(outcome.value, dict):
        for one in outcome.value["recipients"]:
            arrived = outcome.value["id"] in came[one["identity"]]
            assert arrived == (one["outcome"] in ("delivered", "unconfirmed")), one
    elif outcome.code is not None:
        assert bool(ids) == (outcome.code == 4), "75 says that nothing was delivered"
    if outcome.code == 0:
        assert all(came.values())
        assert set(copy) == ids


def judge_accept(_world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    new = {id: data for id, data in after.beta.inbox.items() if id not in before.beta.inbox}
    assert new in ({}, {CARRIED_ID: CARRIED})
    assert after.beta.archive == before.beta.archive
    if outcome.code in (0, 4):
        assert new
    elif outcome.code is not None:
        assert not new, "it said that nothing was accepted"


def judge_archive(world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    was = (world.waiting in after.beta.inbox, world.waiting in after.beta.archive)
    assert was != (False, False)
    if outcome.code == 0:
        assert was == (False, True)
    elif outcome.code == 75:
        assert was == (True, False), "it said that nothing was moved"
    elif outcome.code == 4:
        assert was[1]
    assert world.other in after.beta.inbox
    assert world.archived in after.beta.archive


def judge_unarchive(world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    was = (world.archived in after.beta.inbox, world.archived in after.beta.archive)
    assert was != (False, False)
    if outcome.code == 0:
        assert was == (True, False)
    elif outcome.code == 75:
        assert was == (False, True), "it said that nothing was moved"
    elif outcome.code == 4:
        assert was[0]


def judge_prune(world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    assert after.beta.inbox == before.beta.inbox
    gone = set(before.beta.archive) - set(after.beta.archive)
    assert gone <= {world.expired}
    if outcome.code == 0:
        assert gone == {world.expired}
    elif outcome.code == 75:
        assert not gone, "it said that nothing was removed"


def judge_register(_world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    new = before.registry + b"| gamma | - | what gamma does |\n"
    assert after.registry in (before.registry, new)
    if outcome.code in (0, 4):
        assert after.registry == new
    elif outcome.code is not None:
        assert after.registry == before.registry, "it said that the registry was left as it was"
    if after.registry == new:
        assert "gamma" in after.boxes, "a row without a mailbox"


def judge_check(world: World, before: Seen, after: Seen, outcome: Outcome) -> None:
    assert after == before, "looking changes nothing"
    if outcome.code == 0:
        assert outcome.value == sorted((world.waiting, world.other))


JUDGES: dict[str, Callable[[World, Seen, Seen, Outcome], None]] = {
    "send": judge_send,
    "send to two": judge_send_to_two,
    "accept": judge_accept,
    "archive": judge_archive,
    "unarchive": judge_unarchive,
    "prune": judge_prune,
    "register": judge_register,
    "check": judge_check,
}
