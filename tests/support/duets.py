"""Runs two verbs at once, in every order that two switches can make: no chance, no repetition, no sleeping.

The first runs so many calls, the second so many, then the first to its end, then the second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.faults import FaultyDisk
from tests.support.reader import Box, read_box
from tests.support.worlds import Operation, Outcome, World, attempt


class Baton:
    """Says whose turn it is; a player that has ended gives it away for good."""

    def __init__(self, first: int, second: int) -> None:
        self._left = [first, second]
        self._turn = 0
        self._ended = [False, False]
        self._change = threading.Condition()

    def take(self, player: int) -> None:
        """Wait for the turn, and use one call of it."""
        with self._change:
            self._change.wait_for(lambda: self._turn == player or self._ended[1 - player])
            if self._left[player] == 0 and not self._ended[1 - player]:
                self._left[player] = -1  # the next time it plays to its end
                self._turn = 1 - player
                self._change.notify_all()
                self._change.wait_for(lambda: self._turn == player or self._ended[1 - player])
            if self._left[player] > 0:
                self._left[player] -= 1

    def end(self, player: int) -> None:
        """This one is done."""
        with self._change:
            self._ended[player] = True
            self._turn = 1 - player
            self._change.notify_all()


class Player(FaultyDisk):
    """A disk that makes its calls only when it has the baton, and never waits for a lock."""

    #: Who holds it waits for us to end: so it is now or never.
    patience = 0.0

    def __init__(self, baton: Baton, player: int) -> None:
        super().__init__()
        self._baton = baton
        self._player = player

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One call, in turn."""
        self._baton.take(self._player)
        return super().invoke(op, function, *args, **kwargs)


def play(operations: tuple[Operation, Operation], world: World, first: int, second: int) -> list[Outcome]:
    """Both operations in one order; their outcomes."""
    baton = Baton(first, second)
    outcomes: list[Outcome] = [Outcome(-1), Outcome(-1)]

    def run(player: int) -> None:
        try:
            outcomes[player] = attempt(operations[player], world, Player(baton, player))
        finally:
            baton.end(player)

    threads = [threading.Thread(target=run, args=(player,)) for player in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


#: The calls that another program can notice, or that can notice it. A switch before any other call is as good
#: as one before the next of these.
MEETING = frozenset({"open", "create", "stat", "list", "link", "rename", "unlink", "mkdir", "utime", "flock"})


def switches(operation: Operation, world: World) -> list[int]:
    """After how many calls of an operation it may matter that another goes on; the last is its end."""
    disk = FaultyDisk()
    outcome = attempt(operation, world, disk)
    assert outcome.code == 0, outcome
    return [number for number, op in enumerate(disk.calls) if op in MEETING] + [len(disk.calls)]


def every_order(
    first: Operation, second: Operation, world: World, where: Path, *, every: int = 1
) -> Iterator[tuple[list[Outcome], Box]]:
    """Play the two in each order that two switches make; the outcomes and the mailbox after each.

    With `every` of 4 only a quarter of the orders is played: a diagonal pattern that has each switch of both.
    """
    befores, betweens = (
        switches(operation, world.copy(where / f"alone-{number}"))
        for number, operation in enumerate((first, second))
    )
    for row, before in enumerate(befores[:-1]):
        for column, between in enumerate(betweens[1:]):
            if (row + column) % every:
                continue
            copy = world.copy(where / f"{before}-{between}")
            outcomes = play((first, second), copy, before, between)
            box = read_box(copy.path / "beta")
            try:
                assert not box.broken
                yield outcomes, box
            except AssertionError as error:
                raise AssertionError(f"after {before} and {between} calls: {outcomes}") from error
