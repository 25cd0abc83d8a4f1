"""The bench of Claude Code: `claude -p`, and for several prompts a session on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.hosts.claude import homes
from tests.hosts.claude.interactive import Session
from tests.hosts.rig.conversation import Conversation
from tests.hosts.rig.home import NOWHERE
from tests.hosts.rig.post import ALWAYS
from tests.hosts.rig.script import Step

from .bench import Bench


class ClaudeCodeBench(Bench, homes.Home):
    """Claude Code in a home of its own."""

    host = "claude-code"
    writer = ("Write", "file_path", {"content": "x"})
    shell_tool = ("Bash", "command", {"description": "as scripted"})

    def environment(self, url: str = NOWHERE, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The client's whole environment. IS_SANDBOX: else the client refuses to bypass permissions for root."""
        return super().environment(url, {"IS_SANDBOX": "1", **ALWAYS, **(more or {})})

    def command(self, prompt: str, resume: str) -> list[str]:
        """`claude -p`."""
        session = ["--resume", resume] if resume else []
        report = ["--output-format=stream-json", "--verbose", "--dangerously-skip-permissions"]
        return [str(self.client), "-p", prompt, *report, *session]

    @contextmanager
    def live(self, steps: Iterable[Step] = (), *, cwd: Path | None = None) -> Iterator[TerminalSession]:
        """A session on a terminal."""
        with Session(self.client, self, steps, cwd=cwd, env=ALWAYS) as session:
            yield TerminalSession(session)


class TerminalSession:
    """One interactive session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def conversation(self) -> Conversation:
        """What reached the model so far."""
        return self._session

    def ask(self, prompt: str) -> None:
        """Type the prompt and wait until its turn has ended."""
        self._session.ask(prompt)

    def wait_seen(self, words: str) -> None:
        """Wait until these words have reached the model."""
        self._session.wait_seen(words)
