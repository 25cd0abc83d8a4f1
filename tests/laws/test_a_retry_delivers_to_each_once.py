"""Whatever call of `send --retry` goes wrong: nobody gets the message twice, the copy stays, and the next retry completes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.receipts import receipts
from agentmail.verbs.send import send
from tests.support.fault_loop import SAMPLED_AND_ALL, Strike, strike_each
from tests.support.faults import FaultyDisk
from tests.support.reader import read_box
from tests.support.worlds import BODY, MINUTE, Outcome, World, attempt, look

ID = f"{MINUTE}-alpha-hello"


def retry(bus: Bus, _world: World) -> Outcome:
    done = send(Call(bus), "alpha", "", "", retry=ID)
    return Outcome(max(one.get("exit", 0) for one in done["recipients"]), done)


@pytest.fixture
def partly(world: World) -> World:
    """A bus on which a message of alpha reached beta and not delta."""
    tmp = world.path / "delta" / "tmp"
    tmp.rename(tmp.with_name("away"))
    tmp.touch()
    send(Call(world.bus(FaultyDisk())), "alpha", "beta,delta", "hello", body=BODY)
    tmp.unlink()
    tmp.with_name("away").rename(tmp)
    assert ID in read_box(world.path / "beta").inbox
    assert ID not in read_box(world.path / "delta").inbox
    return world


def copies(world: World, identity: str) -> list[str]:
    return [id for id in read_box(world.path / identity).received if id.startswith(ID)]


def missed(world: World) -> list[str]:
    (message,) = receipts(Call(world.bus(FaultyDisk())), "alpha", ID)["messages"]
    return [one["identity"] for one in message["missed"]]


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
def test_a_retry_is_safe_at_every_call(every: int, partly: World, quick_path: Path) -> None:
    healthy = FaultyDisk()
    before = look(partly)
    assert attempt(retry, partly.copy(quick_path / "healthy"), healthy).code == 0

    def meet(strike: Strike) -> list[str]:
        copy = partly.copy(quick_path / f"{strike.fault}-{strike.at}")
        outcome = attempt(retry, copy, FaultyDisk(strike.effect, strike.at))
        wrong = []
        if outcome.code == 0 and copies(copy, "delta") != [ID]:
            wrong.append(f"success without a message: {outcome}")
        if not missed(copy) and copies(copy, "delta") != [ID]:
            wrong.append(f"no fact and no message: {outcome}")
        again = attempt(retry, copy, FaultyDisk())
        if again.code != 0 or missed(copy):
            wrong.append(f"the next retry did not complete it: {again}")
        if (copies(copy, "beta"), copies(copy, "delta")) != ([ID], [ID]):
            wrong.append("not one message each")
        after = look(copy)
        if after.boxes["alpha"].sent != before.boxes["alpha"].sent or any(
            box.broken for box in after.boxes.values()
        ):
            wrong.append("the sender's copy changed, or a file is broken")
        return wrong

    found = strike_each(healthy.calls, meet, every)
    assert found.wrong == []
    assert found.struck == set(range(len(healthy.calls)))
    assert len(healthy.calls) >= 40, healthy.calls
