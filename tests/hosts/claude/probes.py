"""Hook entries for settings files, and what the probe hooks recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.hosts.rig.script import Json

HERE = Path(__file__).resolve().parent


def group(*entries: Json, **fields: Any) -> Json:
    """A group of hook entries; `matcher=` goes here."""
    return {**fields, "hooks": list(entries)}


def hooks(**events: Json | list[Json]) -> Json:
    """A settings object: for each event one entry, one group, or a list of groups."""
    return {"hooks": {event: _groups(given) for event, given in events.items()}}


def _groups(given: Json | list[Json]) -> list[Json]:
    if isinstance(given, list):
        return given
    return [given if "hooks" in given else group(given)]


class Probes:
    """Makes probe hooks and reads their common log."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def __call__(self, *options: str, **fields: Any) -> Json:
        """An entry that runs probe_hook.py with these options; fields (timeout=, asyncRewake=) are added."""
        program = [str(HERE / "probe_hook.py"), str(self.log), *options]
        return {"type": "command", "command": sys.executable, "args": ["-I", "-S", *program], **fields}

    def calls(self, event: str | None = None) -> list[Json]:
        """The calls so far, oldest first; of one event, if given."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(encoding="utf-8").split("\n")[:-1]  # the rest is still being written
        calls: list[Json] = [json.loads(line) for line in lines]
        return [call for call in calls if event in (None, call["event"])]

    def sources(self) -> list[str]:
        """What the SessionStart hooks were told they were started for."""
        return [call["stdin"]["source"] for call in self.calls("SessionStart")]
