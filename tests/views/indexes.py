"""Makes an index as if some time had passed, and asks every view with and without it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from agentmail.cli.json_answer import as_json
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import Call
from agentmail.verbs.check import check
from agentmail.verbs.receipts import receipts
from agentmail.verbs.search import search
from agentmail.verbs.snapshot import OpenSnapshot, snapshot
from agentmail.verbs.thread import thread
from agentmail.verbs.threads import threads
from agentmail.views.index.file import IndexFile, index_of
from agentmail.views.index.writing import write
from tests.support.clocks import SECOND, Fixed

FOLDERS = ("inbox", "archive", "sent")


def file_of(bus: Bus, identity: str, home: Path) -> IndexFile:
    """Where the index of a mailbox is."""
    with bus.mailbox(identity) as box:
        return index_of(box, str(home))


def let_a_tick_pass(bus: Bus, identity: str) -> None:
    """Return once the clock that stamps files has moved on, so that the next change gets another time."""
    places = [Path(bus.root, identity, folder) for folder in FOLDERS]
    latest = max((path.stat().st_ctime_ns for path in places if path.exists()), default=0)
    if hasattr(time, "CLOCK_REALTIME_COARSE"):
        while time.clock_gettime_ns(time.CLOCK_REALTIME_COARSE) <= latest:
            pass


def write_index(bus: Bus, identity: str, home: Path) -> bool:
    """Write the index with everything on the bus a minute old."""
    (home / ".agents").mkdir(exist_ok=True, parents=True)
    let_a_tick_pass(bus, identity)
    with bus.mailbox(identity) as box:
        return write(index_of(box, str(home)), box, clock=Fixed(time.time_ns() + 60 * SECOND))


def with_index(bus: Bus, home: Path) -> Call:
    """A caller whose machine may have an index."""
    return Call(bus, Environment({"HOME": str(home)}), machine="m1")


def without_index(bus: Bus) -> Call:
    """A caller who has no home, and so no index."""
    return Call(bus, Environment({}), machine="m1")


def answers(call: Call, identity: str, names: tuple[str, ...], words: tuple[str, ...]) -> dict[str, Any]:
    """What every view answers."""
    asked: dict[str, Callable[[], Any]] = {
        "threads": partial(threads, call, identity),
        "snapshot": lambda: {**snapshot(call, identity), "at": ""},
        "panel": partial(streamed, call, identity),
        "counts": lambda: snapshot(call, identity, counts=True)["counts"],
        "receipts": partial(receipts, call, identity),
        "check": partial(check, call, identity),
    }
    asked |= {f"thread {name}": partial(thread, call, identity, name) for name in names}
    asked |= {f"receipts {name}": partial(receipts, call, identity, name) for name in names}
    asked |= {f"search {word}": partial(search, call, identity, word) for word in words}
    return {question: _answer(ask) for question, ask in asked.items()}


def streamed(call: Call, identity: str) -> dict[str, Any]:
    """The document of a snapshot as the command line prints it, message by message where that is possible."""
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        outcome = OpenSnapshot(box, reader, None).outcome(counts=False, as_json=True)
        found: dict[str, Any] = json.loads("".join(as_json("snapshot", {**outcome, "at": ""})))
        return found


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except AgentMailError as error:
        return type(error).__name__, str(error)


def files_below(place: Path) -> list[str]:
    """The files below a directory."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), place)
        for folder, _, names in os.walk(place)
        for name in names
    )
