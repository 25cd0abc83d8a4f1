"""Looked at before every single call: no reader ever sees a part of a message, or a message nowhere."""

from __future__ import annotations

import pytest

from tests.support.faults import FaultyDisk
from tests.support.worlds import OPERATIONS, Seen, World, attempt, look


def film(verb: str, world: World) -> list[Seen]:
    """The bus before each call of a verb, and after the last."""
    frames: list[Seen] = []
    disk = FaultyDisk(watch=lambda number, op: frames.append(look(world)))
    assert attempt(OPERATIONS[verb], world, disk).code == 0
    return [*frames, look(world)]


@pytest.mark.parametrize("verb", OPERATIONS)
def test_is_there_a_part_of_a_message(verb: str, world: World) -> None:
    frames = film(verb, world)
    last = {identity: {**box.received, **box.sent} for identity, box in frames[-1].boxes.items()}
    first = {identity: {**box.received, **box.sent} for identity, box in frames[0].boxes.items()}
    for frame in frames:
        for identity, box in frame.boxes.items():
            assert not box.broken
            for id, data in {**box.received, **box.sent}.items():
                assert data == last[identity].get(id, first.get(identity, {}).get(id))


@pytest.mark.parametrize("verb", OPERATIONS)
def test_is_a_message_nowhere(verb: str, world: World) -> None:
    frames = film(verb, world)
    kept = [id for id in frames[0].beta.received if verb not in ("archive", "prune") or id != world.expired]
    assert len(kept) >= 3
    for frame in frames:
        assert set(kept) <= set(frame.beta.received)


@pytest.mark.parametrize("verb", ["archive", "unarchive"])
def test_a_message_on_its_way_is_in_both_places_before_it_is_in_one(verb: str, world: World) -> None:
    id = world.waiting if verb == "archive" else world.archived
    places = [(id in frame.beta.inbox, id in frame.beta.archive) for frame in film(verb, world)]
    ways = [place for number, place in enumerate(places) if number == 0 or places[number - 1] != place]
    there = [(True, False), (True, True), (False, True)]
    assert ways == (there if verb == "archive" else there[::-1])


def test_is_the_registry_half_written(world: World) -> None:
    frames = film("register", world)
    assert len({frame.registry for frame in frames}) == 2
    assert frames[-1].registry.startswith(frames[0].registry)
