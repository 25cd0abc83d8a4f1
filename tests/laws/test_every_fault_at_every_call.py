"""Whatever call of a command goes wrong, and however: the promises stay true, and the next try completes the work.

The judge in tests/faults/judge.py states the promises I1 to I6 and knows nothing of the product. The commands run as
the command line runs them, to their exit codes, on a disk that counts its calls.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agentmail.verbs.catalogue import VERBS
from tests.faults.stories import ALL
from tests.faults.striking import strike_command
from tests.support.fault_loop import SAMPLED_AND_ALL, Strike, strike_each
from tests.support.faults import FaultyDisk
from tests.support.reader import header_and_body
from tests.support.worlds import (
    BODY,
    MINUTE,
    OPERATIONS,
    Outcome,
    Seen,
    World,
    attempt,
    look,
)

#: How many calls each command makes at least. A number that sinks means that calls no longer pass the gate.
FLOOR = {
    "send": 57,
    "send-to-an-address": 89,
    "send-first-ever": 67,
    "reply": 70,
    "delegate": 60,
    "check": 25,
    "read": 13,
    "roster": 14,
    "archive": 31,
    "archive-and-upkeep": 65,
    "unarchive": 29,
    "prune": 23,
    "register": 62,
    "register-first": 47,
    "register-change": 58,
    "ack": 35,
    "wire": 68,
    "unwire": 76,
    "wait": 83,
    "check-with-session": 53,
    "threads": 40,
    "thread": 51,
    "receipts": 19,
    "sessions": 7,
    "search": 40,
    "snapshot": 60,
    "doctor": 180,
}
SENT = f"{MINUTE}-alpha-hello"


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.timeout(900)
def test_the_promises_hold(name: str, every: int, quick_path: Path, tally: Counter[str]) -> None:
    calls, found = strike_command(ALL[name], quick_path / "place", FaultyDisk, every)
    tally["points"] += found.points
    tally["violations"] += len(found.wrong)
    assert found.wrong == []
    assert len(calls) >= FLOOR[name], calls
    assert found.struck == set(range(len(calls)))
    assert found.points >= 7 * FLOOR[name] // every - len(calls) * (every > 1)


def test_every_command_has_its_story() -> None:
    # `git` prints a constant, `whoami` reads what `roster` reads, and `demo` runs the others on a bus that it throws
    # away. Two move a whole mailbox, which these judges do not follow: tests/conversations/test_former_identities.py
    # strikes them.
    assert {story.words[0] for story in ALL.values()} == VERBS.keys() - {
        "git",
        "whoami",
        "demo",
        "rename",
        "unregister",
    }


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
def test_the_promises_hold_for_a_message_to_two(
    every: int, world: World, quick_path: Path, tally: Counter[str]
) -> None:
    operation, before, healthy = OPERATIONS["send to two"], look(world), FaultyDisk()
    assert attempt(operation, world.copy(quick_path / "healthy"), healthy).code == 0

    def meet(strike: Strike) -> list[str]:
        copy = world.copy(quick_path / f"{strike.fault}-{strike.at}")
        disk = FaultyDisk(strike.effect, strike.at)
        outcome = attempt(operation, copy, disk)
        seen = look(copy)
        try:
            judge_everything(before, seen)
            judge_send_to_two(before, seen, outcome)
            judge_the_outcome(strike, outcome, disk, seen)
            judge_the_next_try(before, copy, outcome)
        except AssertionError as error:
            return [f"{outcome}: {error}"]
        return []

    found = strike_each(healthy.calls, meet, every)
    tally["points"] += found.points
    tally["violations"] += len(found.wrong)
    assert found.wrong == []
    assert len(healthy.calls) >= 70, healthy.calls
    assert found.struck == set(range(len(healthy.calls)))
    # Eleven faults, of which two apply to writes alone and two to changes alone: 5, 3, 16 and 16 calls at least.
    assert found.points >= (7 * 70 + 5 + 3 + 16 + 16) // every - len(healthy.calls) * (every > 1)


def judge_everything(before: Seen, after: Seen) -> None:
    """What no fault may do: break a file, or change or lose a message."""
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


def judge_the_outcome(strike: Strike, outcome: Outcome, disk: FaultyDisk, seen: Seen) -> None:
    """The outcome fits the fault, and a failed send removes its staging files."""
    if strike.fault.startswith("crashes"):
        assert outcome.code is None
        return
    assert outcome.code in (0, 1, 4, 75)
    if strike.fault in ("fails with EINTR", "is short"):
        assert outcome.code == 0, "a signal, or a short read or write, is no failure"
    if strike.fault.startswith(("fails", "stays broken", "is short")) and strike.op != "close":
        assert not disk.open, "descriptors stay open"
    if strike.fault.startswith("fails") and strike.op != "unlink":
        staged = [name for box in seen.boxes.values() for name in (*box.tmp, *box.hidden)]
        left = [name for name in staged if not name.endswith("-died.md")]
        left += [name for name in seen.root if name.startswith(".") and name != ".registry.lock"]
        assert not left, left


def judge_the_next_try(before: Seen, world: World, outcome: Outcome) -> None:
    """The same send again, on a healthy disk, delivers; after an answer it is not repeated."""
    if outcome.code in (0, 4) or outcome.value:
        return  # it is delivered, at least to some: a caller does not try again
    again = attempt(OPERATIONS["send to two"], world, FaultyDisk())
    assert again.code == 0, again
    after = look(world)
    judge_everything(before, after)
    # After 75 there is one message. After a kill the caller cannot know, and may have sent two.
    new = [id for id in after.beta.inbox if id.startswith(SENT)]
    assert len(new) in ((1, 2) if outcome.code is None else (1,)), new


def new_ones(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, bytes]:
    """The messages that arrived, each whole."""
    new = {id: data for id, data in after.items() if id not in before}
    for id, data in new.items():
        header, body = header_and_body(data)
        assert (header["id"], header["from"], body) == (id, "alpha", BODY)
    return new


def judge_send_to_two(before: Seen, after: Seen, outcome: Outcome) -> None:
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
