"""Reads again a file that another program is saving in place: for a moment it is empty or incomplete."""

from __future__ import annotations

import os
import time

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

YOUNG_NS = 250_000_000
PAUSE_SECONDS, PATIENCE_SECONDS = 0.02, 10


class HalfWritten(Exception):
    """The file was changed a moment ago, and is empty."""


def settled(path: str, look: Callable[[], T]) -> T:
    """The result of `look` at a path; while the file is young, a refusal is tried again."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            return look()
        except HalfWritten:
            pass
        except Refused:
            if not is_young(path):
                raise
        time.sleep(PAUSE_SECONDS)
    raise TryAgain(
        f"{names.printable(path)} keeps changing", names.NOTHING_CHANGED, "end the program that saves it"
    )


def is_young(path: str) -> bool:
    """Was the file changed a moment ago?"""
    try:
        age = time.time_ns() - os.stat(path).st_mtime_ns
    except OSError:
        return False
    return 0 <= age < YOUNG_NS
