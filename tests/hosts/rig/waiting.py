"""Waiting for an event, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
POLL_SECONDS = 0.02


class TooLate(AssertionError):
    """The event did not come in time."""


def wait_for(look: Callable[[], T], what: str, seconds: float = 30) -> T:
    """The first true answer of `look`; TooLate, naming `what`, when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TooLate(f"waited {seconds:g} s for {what}")
        time.sleep(POLL_SECONDS)
    return found
