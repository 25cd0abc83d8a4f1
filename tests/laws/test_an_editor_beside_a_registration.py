"""A person saves registry.md while a program registers: both edits are there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.registry import Registry
from agentmail.verbs.call import Call
from agentmail.verbs.register import register
from tests.support.faults import FaultyDisk
from tests.support.worlds import World

NOTE = b"\nA note of a person, saved meanwhile.\n"


def save_in_place(path: Path) -> None:
    path.write_bytes(path.read_bytes() + NOTE)


def save_by_rename(path: Path) -> None:
    new = path.with_name("registry.md~")
    new.write_bytes(path.read_bytes() + NOTE)
    new.rename(path)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("save", [save_in_place, save_by_rename])
def test_both_edits_are_there(world: World, quick_path: Path, save: Callable[[Path], None]) -> None:
    calls = registered(world.copy(quick_path / "alone"), lambda number: None)
    exchange = calls.index("exchange")
    lost = []
    for at in range(len(calls)):
        copy = world.copy(quick_path / f"{at}")
        path = copy.path / "registry.md"
        registered(copy, lambda number, at=at, path=path: save(path) if number == at else None)  # type: ignore[misc]
        text = path.read_bytes()
        assert "gamma" in Registry(text.decode()).rows or at > exchange
        if NOTE not in text:
            lost.append(at)
        shutil.rmtree(copy.path)
    assert lost == []


def test_a_registry_that_somebody_removes_meanwhile_is_made_again(world: World, quick_path: Path) -> None:
    for at in range(20, 40):
        copy = world.copy(quick_path / f"{at}")
        path = copy.path / "registry.md"
        registered(copy, lambda number, at=at, path=path: remove(path) if number == at else None)  # type: ignore[misc]
        assert "gamma" in Registry(path.read_bytes().decode()).rows


def registered(world: World, meanwhile: Callable[[int], None]) -> list[str]:
    """Register gamma; `meanwhile` is told of each call before it is made. The calls."""
    disk = FaultyDisk(watch=lambda number, op: meanwhile(number))
    register(Call(world.bus(disk), Environment({"HOME": "/"})), "gamma", "-", "what gamma does")
    return disk.calls
