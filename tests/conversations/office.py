"""A bus with three agents on it, and the command line in this process: each call happens a second after the last.

A call happens in the workdir of the identity that it names first, as that agent's own calls do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.cli import Ran
from tests.support.clocks import SECOND, Fixed
from tests.support.in_process import run_in_process
from tests.support.reader import Box, header_and_body, read_box
from tests.support.worlds import MOMENT

EVERYBODY = ("alpha", "beta", "gamma")


class Office:
    """`office("check", "beta")` runs a command; `send` and `json` are what the tests ask for most."""

    def __init__(self, place: Path, identities: tuple[str, ...] = EVERYBODY) -> None:
        self.bus = place / "bus"
        self.bus.mkdir(mode=0o700)
        (place / "home").mkdir(mode=0o700)
        self.clock = Fixed(MOMENT)
        self.place = place
        for identity in identities:
            (place / identity).mkdir()
            assert self("register", identity, self.workdir(identity), "takes", "part").code == 0

    def __call__(
        self,
        *words: str,
        stdin: str = "text\n",
        at: str | None = None,
        variables: dict[str, str] | None = None,
    ) -> Ran:
        """Run a command to its end, in the workdir of the identity that it names, or in that of `at`."""
        self.clock.moment += SECOND
        caller = at or next((word for word in words if word in EVERYBODY), "")
        return run_in_process(
            words,
            self.bus,
            stdin.encode(),
            clock=self.clock,
            variables=variables,
            directory=self.workdir(caller),
        )

    def json(self, *words: str, stdin: str = "text\n", code: int = 0) -> dict[str, Any]:
        """What a command answers with --json; it has to end with `code`."""
        ended = self(words[0], "--json", *words[1:], stdin=stdin)
        assert ended.code == code, ended
        found = json.loads(ended.out)
        assert isinstance(found, dict)
        return found

    def send(self, sender: str, to: str, slug: str, *words: str, body: str = "text\n") -> str:
        """Send a message; its id."""
        ended = self("send", sender, to, slug, *words, stdin=body)
        assert ended.code == 0, ended
        return ended.out.strip()

    def box(self, identity: str) -> Box:
        """A mailbox as the independent reader sees it."""
        return read_box(self.bus / identity)

    def header(self, identity: str, id: str) -> dict[str, str]:
        """The header lines of a message that waits, as they stand in the file."""
        return header_and_body(self.box(identity).inbox[id])[0]

    def records(self, identity: str) -> dict[str, list[dict[str, Any]]]:
        """The facts of every session by its name, read without the product."""
        return {
            path.stem: [json.loads(line) for line in path.read_text().splitlines() if line]
            for path in sorted((self.bus / identity / "sessions").glob("*/*.jsonl"))
        }

    def facts(self, identity: str, session: str, fact: str) -> list[str]:
        """The ids of the facts of one kind in a session's record, in the order of its lines."""
        lines = self.records(identity).get(session, [])
        return [line["id"] for line in lines if line["fact"] == fact]

    def workdir(self, identity: str) -> str:
        """The workdir of an identity."""
        return str(self.place / identity)
