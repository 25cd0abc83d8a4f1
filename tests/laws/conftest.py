"""A small bus for the laws, in memory where the system has such a place, under the umask of every entry point."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.duets import every_order
from tests.support.fault_loop import SAMPLED_AND_ALL
from tests.support.reader import Box
from tests.support.worlds import Outcome, World, make_world

Orders = Callable[..., Iterator[tuple[list[Outcome], Box]]]


@pytest.fixture
def private_umask() -> Iterator[None]:
    """What every entry point sets before it makes anything."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture
def world(quick_path: Path, private_umask: None) -> World:
    """A bus with a message in every place."""
    return make_world(quick_path / "bus")


@pytest.fixture(params=SAMPLED_AND_ALL)
def orders(request: pytest.FixtureRequest) -> Orders:
    """Plays two operations in the orders that two switches make: a quarter of them, or in the slow suite all."""
    return partial(every_order, every=request.param)
