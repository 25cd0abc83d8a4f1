"""Clocks that a test sets."""

from __future__ import annotations

from agentmail.core.layout import Clock

SECOND = 10**9
DAY = 86_400 * SECOND


class Fixed(Clock):
    """Always the same moment, until a test sets another."""

    def __init__(self, moment: int) -> None:
        self.moment = moment

    def now_ns(self) -> int:
        """The moment."""
        return self.moment
