"""The rig: a real client in a home of its own, against a scripted model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from tests.hosts.rig.conversation import Conversation, comparable, differences
from tests.hosts.rig.script import Json, Step

from .headless import Run, RunOptions, run_headless
from .homes import Home
from .interactive import Session, SessionOptions
from .plugins import Plugins
from .probes import Probes


class Rig(Home):
    """A home, the client, and the ways to run it. `root` must not exist yet, or be empty."""

    def __init__(self, client: Path, root: Path) -> None:
        super().__init__(root)
        self.client = client
        self.probe = Probes(self.root / "hooks.jsonl")
        self.plugins = Plugins(client, self)

    def run(self, prompt: str, steps: Iterable[Step] = (), **how: Unpack[RunOptions]) -> Run:
        """`claude -p PROMPT`, to its end."""
        return run_headless(self.client, self, prompt, steps, **how)

    def session(self, steps: Iterable[Step] = (), **how: Unpack[SessionOptions]) -> Session:
        """An interactive session, for `with`."""
        return Session(self.client, self, steps, **how)

    def body(self, conversation: Conversation, number: int = -1) -> Json:
        """A main request's body, without what differs between any two runs."""
        return comparable(conversation.main[number].body, self.root)

    def differences(self, left: Conversation, right: Conversation) -> list[str]:
        """Where the main requests of two runs in this rig differ."""
        return differences(self._bodies(left), self._bodies(right), "requests")

    def _bodies(self, conversation: Conversation) -> list[Json]:
        return [self.body(conversation, number) for number in range(len(conversation.main))]
