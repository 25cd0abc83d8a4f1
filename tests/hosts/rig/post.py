"""A bus in the rig's home, on which alpha works in the rig's project; and the notices that reached a model."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

from tests.support.cli import Cli

from .conversation import Conversation
from .home import Home

#: A prompt's hook looks whenever something has changed.
ALWAYS = {"AGENT_MAIL_CHECK_INTERVAL": "0"}
NOTICE = re.compile(r"agentmail: [^\n]*\n<<< message ids\n(.*?)\n>>>", re.DOTALL)


class Post:
    """The bus: alpha works in the project of a home."""

    def __init__(self, home: Home) -> None:
        self.home = home.home
        self.bus = self.home / ".agents" / "mail"
        self.cli = Cli(self.bus, self.home, AGENT_MAIL_DIR=None)
        self.register("alpha", home.project)

    @property
    def states(self) -> Path:
        """Where the hooks keep the state of sessions."""
        parts = (f"_{part}" for part in self.bus.parts[1:])
        return self.home.joinpath(".agents", "machine", *parts, "hooks")

    def register(self, identity: str, workdir: Path) -> None:
        """Make an identity."""
        done = self.cli("register", identity, str(workdir), "what", identity, "does")
        assert done.code == 0, done.err

    def send(self, to: str = "alpha", slug: str = "hello", sender: str = "sender", subject: str = "") -> str:
        """Another process sends; returns the id."""
        done = self.cli("send", sender, to, slug, *subject.split(), stdin="BODY-OF-A-SENDER\n")
        assert done.code == 0, done.err
        return done.out.strip()

    def waiting(self, identity: str) -> list[str]:
        """The names in an inbox."""
        return sorted(os.listdir(self.bus / identity / "inbox"))

    def sessions(self, identity: str) -> list[str]:
        """The sessions that have a record in a mailbox."""
        return sorted(path.stem for path in (self.bus / identity).glob("sessions/*/*.jsonl"))


def notices(conversation: Conversation, number: int = -1) -> list[list[str]]:
    """The ids in each notice that main request `number` holds, in order."""
    # Gemini CLI escapes what hooks say as HTML.
    return [found.split("\n") for found in NOTICE.findall(unescape(conversation.received(number)))]
