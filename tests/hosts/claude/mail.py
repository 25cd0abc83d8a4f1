"""Our hooks in the rig: a bus in the rig's home, and the entries of hooks.json in its settings."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.script import Json
from tests.support.cli import ROOT, Cli

from .rig import Rig

#: A prompt's hook looks whenever something has changed.
ALWAYS = {"AGENT_MAIL_CHECK_INTERVAL": "0"}
NOTICE = re.compile(r"agentmail: [^\n]*\n<<< message ids\n(.*?)\n>>>", re.DOTALL)


def entries(*names: str, root: Path = ROOT) -> Json:
    """The entries of hooks.json (and of others, such as hooks/wake.json) with their paths, as settings."""
    events: Json = {}
    for name in names or ("hooks.json",):
        text = (ROOT / name).read_text().replace("${CLAUDE_PLUGIN_ROOT}", str(root))
        for event, groups in json.loads(text)["hooks"].items():
            events.setdefault(event, []).extend(groups)
    return {"hooks": events}


class Post:
    """The bus of a rig: alpha works in the rig's project."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.bus = rig.home / ".agents" / "mail"
        self.cli = Cli(self.bus, rig.home, AGENT_MAIL_DIR=None)
        self.register("alpha", rig.project)

    @property
    def states(self) -> Path:
        """Where the hooks keep the state of sessions."""
        parts = (f"_{part}" for part in self.bus.parts[1:])
        return self.rig.home.joinpath(".agents", "machine", *parts, "hooks")

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
    return [found.split("\n") for found in NOTICE.findall(conversation.received(number))]
