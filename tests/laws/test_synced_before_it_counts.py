"""The order of the calls that makes a power cut harmless: bytes, then the name, then what may go.

A power cut keeps what was synced and any part of the rest, in any order; so nothing may be removed, and
nothing reported, before that which replaces it is synced. What the disk itself does is tried elsewhere,
with real file systems; here each step is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.faults import FaultyDisk
from tests.support.worlds import OPERATIONS, World, attempt

STEPS = frozenset({"write", "fsync", "fsyncdir", "link", "rename", "exchange", "unlink"})


class Recorder(FaultyDisk):
    """Writes down each changing call with the directory, by its path, or the file that it touches."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.steps: list[str] = []

    def real(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One call, named."""
        if op in STEPS:
            self.steps.append(f"{op} {self._where(op, args, kwargs)}".strip())
        return super().real(op, function, *args, **kwargs)

    def _where(self, op: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        if op in ("link", "rename"):
            return f"{self._path(kwargs['src_dir_fd'])} -> {self._path(kwargs['dst_dir_fd'])}"
        if op == "exchange":
            return self._path(args[-1])
        return self._path(kwargs["dir_fd"] if op == "unlink" else args[0])

    def _path(self, fd: int) -> str:
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        if path.is_dir():
            return str(path.relative_to(self.world.path))
        return f"a file in {path.parent.relative_to(self.world.path)}"


def steps(verb: str, world: World) -> list[str]:
    disk = Recorder(world)
    assert attempt(OPERATIONS[verb], world, disk).code == 0
    return disk.steps


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="no /proc here to name a descriptor by"
)


def test_sending(world: World) -> None:
    *done, last, but_one = steps("send", world)
    assert done == [
        "write a file in beta/tmp",
        "fsync a file in beta/tmp",
        "link beta/tmp -> beta/inbox",
        "fsyncdir beta/inbox",
        "write a file in alpha/tmp",
        "fsync a file in alpha/tmp",
        "link alpha/tmp -> alpha/sent",
    ]
    assert {last, but_one} == {"unlink alpha/tmp", "unlink beta/tmp"}


def test_accepting(world: World) -> None:
    assert steps("accept", world) == [
        "write a file in beta/tmp",
        "fsync a file in beta/tmp",
        "link beta/tmp -> beta/inbox",
        "fsyncdir beta/inbox",
        "unlink beta/tmp",
    ]


def test_accepting_what_is_there_already(world: World) -> None:
    assert attempt(OPERATIONS["accept"], world, FaultyDisk()).code == 0
    assert steps("accept", world) == ["unlink beta/tmp", "fsync a file in beta/inbox", "fsyncdir beta/inbox"]


def test_archiving(world: World) -> None:
    assert steps("archive", world)[:9] == [
        "write a file in beta/archive",
        "fsync a file in beta/archive",
        "link beta/archive -> beta/archive",
        "fsyncdir beta/archive",
        "unlink beta/archive",
        "rename beta/inbox -> beta/inbox",
        "unlink beta/inbox",
        "fsyncdir beta/inbox",
        "unlink beta/tmp",
    ]


def test_taking_back(world: World) -> None:
    assert steps("unarchive", world) == [
        "write a file in beta/inbox",
        "fsync a file in beta/inbox",
        "link beta/inbox -> beta/inbox",
        "fsyncdir beta/inbox",
        "unlink beta/inbox",
        "rename beta/archive -> beta/archive",
        "unlink beta/archive",
        "fsyncdir beta/archive",
    ]


def test_pruning(world: World) -> None:
    assert steps("prune", world) == [
        "rename beta/archive -> beta/archive",
        "unlink beta/archive",
        "fsyncdir beta/archive",
    ]


def test_registering(world: World) -> None:
    made = ["fsyncdir .", *["fsyncdir gamma"] * 3]
    assert steps("register", world) == [
        *made,
        "write a file in .",
        "fsync a file in .",
        "exchange .",
        "unlink .",
        "fsyncdir .",
    ]


def test_looking(world: World) -> None:
    assert steps("check", world) == []
