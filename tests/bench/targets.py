"""The targets: each says what it bounds, by how much, and how its figure is found among what was measured.

Why `what` is unique: it names the row, in the table and in bench.json, and README and docs quote figures by it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from tests.bench.measure import Figure, floors_of, ratio

MIB = 1024


class Measured:
    """A whole run: the processes by name, what was found inside of them, their stages, and the peers that lack."""

    def __init__(
        self,
        figures: Mapping[str, Figure],
        inside: Mapping[str, float],
        stages: Mapping[str, Mapping[str, float]],
        missing: list[str],
    ) -> None:
        self.figures = figures
        self.inside = inside
        self.stages = stages
        self.missing = missing


class Target:
    """One line of the table. `least` turns the bound round; a figure that lacks is None."""

    def __init__(
        self, what: str, bound: float, unit: str, find: Callable[[Measured], float], *, least: bool = False
    ) -> None:
        self.what = what
        self.bound = bound
        self.unit = unit
        self.least = least
        self._find = find

    def figure(self, measured: Measured) -> float | None:
        """The figure; None where the run has not measured it."""
        try:
            return self._find(measured)
        except KeyError:
            return None

    def met(self, value: float) -> bool:
        """True where the figure is within the bound."""
        return value >= self.bound if self.least else value <= self.bound


def _ratio(name: str, other: str, measured: Measured) -> float:
    return ratio(measured.figures[name], measured.figures[other])


def _floors(name: str, measured: Measured) -> float:
    return floors_of(measured.figures[name])


def _seconds(name: str, measured: Measured) -> float:
    return measured.figures[name].median / 1000


def _peak(name: str, measured: Measured) -> float:
    return measured.figures[name].peak / MIB


def _peak_ratio(name: str, measured: Measured) -> float:
    return measured.figures[name].peak / measured.figures["floor"].peak


def _inside(name: str, measured: Measured) -> float:
    return measured.inside[name]


def to(other: str, what: str, name: str, bound: float, unit: str = "") -> Target:
    """The time of a command, to that of another in the same round."""
    return Target(what, bound, unit or f"x {other}", functools.partial(_ratio, name, other))


def floor(what: str, name: str, bound: float) -> Target:
    """The time of a command, to that of the bare interpreter right before it."""
    return Target(what, bound, "x floor", functools.partial(_floors, name))


def growth(what: str, large: str, small: str, bound: float) -> Target:
    """How much longer a command takes with more in the mailbox."""
    return to(small, what, large, bound, "x")


def peak(what: str, name: str, mib: float) -> Target:
    """The peak of a command's memory."""
    return Target(what, mib, "MiB", functools.partial(_peak, name))


def inside(what: str, name: str, bound: float, unit: str, *, least: bool = False) -> Target:
    """What was measured inside of processes."""
    return Target(what, bound, unit, functools.partial(_inside, name), least=least)


TARGETS = [
    floor("prompt hook, throttled, 10 waiting", "hook throttled 10", 0.12),
    floor("prompt hook, throttled, 10,000 waiting", "hook throttled 10000", 0.12),
    floor("prompt hook, due, nothing changed, 10,000 waiting", "hook unchanged 10000", 0.12),
    floor("its Python part, one new of 10", "hook looks 10", 1.6),
    floor("its Python part, one new of 10,000", "hook looks 10000", 4.0),
    floor("guard on a write elsewhere", "guard elsewhere", 2.4),
    floor("send 1 KB, durable", "send", 1.6),
    floor("check 10", "check 10", 1.5),
    floor("archive one of 10", "archive small", 1.6),
    floor("read one of 10", "read", 1.7),
    floor("reply to one of 10", "reply", 1.7),
    to("check 10", "check --json, to check", "check 10 --json", 1.15),
    to(
        "read, session by environment",
        "read --session, to a session by the environment",
        "read --session",
        1.15,
    ),
    to("send", "send --thread, to send", "send --thread", 1.15),
    to("send", "send --priority, to send", "send --priority", 1.15),
    to("check 10", "check by a link as uv makes it, to check", "check 10, link", 1.1),
    to("check 10", "check by the checkout, to check", "check 10, checkout", 1.1),
    to("check 10", "check by a plugin, to check", "check 10, plugin", 1.1),
    growth(
        "archive one of 10,000 beside 100,000, to one of 10", "archive 10000+100000", "archive small", 1.3
    ),
    growth("check 10,000 to 1,000", "check 10000", "check 1000", 10),
    growth("prompt hook 10,000 to 1,000", "hook unchanged 10000", "hook unchanged 1000", 1.3),
    growth("prune 10,000 to 1,000", "prune 10000", "prune 1000", 12),
    growth("thread 10,000 to 1,000", "thread 10000", "thread 1000", 12),
    floor("thread over 10,000 archived", "thread 10000", 3),
    floor("search over 10,000 archived", "search 10000", 3),
    floor("thread over 100,000 archived", "thread 100000", 5),
    floor("search over 100,000 archived", "search 100000", 5),
    floor("snapshot of 100,000 archived", "snapshot 100000", 15),
    Target("first build of an index of 100,000", 15, "s", functools.partial(_seconds, "first build 100000")),
    to("send, amq", "send, to amq", "send", 1.6),
    to("check 1000, amq", "check 1,000, to amq", "check 1000", 1.0),
    to("check 10000, amq", "check 10,000, to amq", "check 10000", 0.6),
    to(
        "archive 10000+100000, amq",
        "archive one of 10,000 beside 100,000, to amq",
        "archive 10000+100000",
        0.5,
    ),
    to("send, hcom", "send, to hcom", "send", 1.5),
    to("check 1000, hcom", "check 1,000, to hcom", "check 1000", 0.9),
    to("send, bash helper", "send, to the bash helper, which syncs nothing", "send", 1.5),
    to("check 10, bash helper", "check 10, to the bash helper", "check 10", 1.0),
    to("check 1000, bash helper", "check 1,000, to the bash helper", "check 1000", 1.0),
    *(
        Target(f"memory of {name}", 1.3, "x floor", functools.partial(_peak_ratio, name))
        for name in ("send", "check 10", "archive small")
    ),
    peak("memory of the first build of 100,000", "first build 100000", 60),
    peak("memory of snapshot 100,000", "snapshot 100000", 60),
    peak("memory of check 100,000", "check 100000", 60),
    inside("memory of wait, notified", "wait MiB", 24, "MiB"),
    inside("durable deliveries in a process, to the bare system calls", "to bare", 0.9, "x", least=True),
    inside("eight processes delivering, to one", "eight to one", 2.0, "x", least=True),
    inside("wait, from link to return, p50", "wait p50 ms", 2.0, "ms"),
    inside("wait, from link to return, p99", "wait p99 ms", 10.0, "ms"),
]
