"""The targets, each with the figure that answers it: a ratio, a time or a size, and where it may be at most."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.bench.measure import Figure, ratio

Figures = Mapping[str, Figure]
MIB = 1024


class Target:
    """One line of the table: what, the bound, and how the figure is found. `least` turns the bound round."""

    def __init__(
        self, what: str, bound: float, figure: Callable[[Figures], float], unit: str, *, least: bool = False
    ):
        self.what = what
        self.bound = bound
        self.figure = figure
        self.unit = unit
        self.least = least

    def met(self, value: float) -> bool:
        """True where the figure is within the bound."""
        return value >= self.bound if self.least else value <= self.bound


def _floor(what: str, name: str, bound: float) -> Target:
    return Target(what, bound, lambda figures: ratio(figures[name], figures["floor"]), "x floor")


def _growth(what: str, large: str, small: str, bound: float) -> Target:
    return Target(what, bound, lambda figures: ratio(figures[large], figures[small]), "x")


def _peak(what: str, name: str, mib: float) -> Target:
    return Target(what, mib, lambda figures: figures[name].peak / MIB, "MiB")


TARGETS = [
    _floor("prompt hook, throttled, 10 waiting", "hook throttled 10", 0.12),
    _floor("prompt hook, throttled, 10,000 waiting", "hook throttled 10000", 0.12),
    _floor("prompt hook, due, nothing changed, 10,000 waiting", "hook unchanged 10000", 0.12),
    _floor("its Python part, one new of 10", "hook looks 10", 1.3),
    _floor("its Python part, one new of 10,000", "hook looks 10000", 3.0),
    _floor("guard on a write elsewhere", "guard elsewhere", 2.4),
    _floor("send 1 KB, durable", "send", 1.5),
    _floor("check 10", "check 10", 1.5),
    _floor("archive one of 10", "archive small", 1.5),
    _growth(
        "archive one of 10,000 beside 100,000, to one of 10", "archive 10000+100000", "archive small", 1.3
    ),
    _growth("check 10,000 to 1,000", "check 10000", "check 1000", 10),
    _growth("prompt hook 10,000 to 1,000", "hook unchanged 10000", "hook unchanged 1000", 1.3),
    _growth("prune 10,000 to 1,000", "prune 10000", "prune 1000", 12),
    _growth("thread 10,000 to 1,000", "thread 10000", "thread 1000", 12),
    _floor("thread over 10,000 archived", "thread 10000", 15),
    _floor("search over 10,000 archived", "search 10000", 15),
    _growth("send, to the bash helper", "send", "send, bash helper", 1.5),
    _growth("check 10, to the bash helper", "check 10", "check 10, bash helper", 1.0),
    _peak("memory of check 100,000", "check 100000", 60),
]


def memory_ratio(name: str, bound: float) -> Target:
    """Peak memory to the floor's."""
    return Target(
        f"memory of {name}", bound, lambda figures: figures[name].peak / figures["floor"].peak, "x floor"
    )


TARGETS += [memory_ratio(name, 1.3) for name in ("send", "check 10", "archive small")]
