"""Gemini CLI's dialect: its payload, its event names, its variables and its answers; and the entry of its hooks."""

from __future__ import annotations

from agentmail.core.lean_json import loads, quoted
from agentmail.hosts import PROMPT, START, WRITE, Event
from agentmail.hosts.runtime.process import Payload, run_job

NAMES = {START: "SessionStart", PROMPT: "BeforeAgent", WRITE: "BeforeTool"}
KINDS = {name: kind for kind, name in NAMES.items()}
FILE_TOOLS = ("write_file", "replace")


def main(argv: list[str]) -> int:
    """Run a hook: `check EVENT` or `guard`. Always 0."""
    return run_job(HOST, KINDS, argv)


class Gemini:
    """The `Host` of Gemini CLI."""

    name = "gemini"
    wake_code = 0

    def session(self, variables: Mapping[str, str]) -> str:
        """The session id in the variables of a hook, unchecked, or empty. The model's own commands are not told it."""
        return variables.get("GEMINI_SESSION_ID", "")

    def started_in(self, variables: Mapping[str, str]) -> str:
        """The directory that the host was started in, unchecked, or empty."""
        return variables.get("GEMINI_PROJECT_DIR", "")

    def version(self, _variables: Mapping[str, str]) -> str:
        """Gemini CLI says nothing of it to a hook."""
        return ""

    def env_file(self, _variables: Mapping[str, str]) -> str:
        """Gemini CLI has no such file."""
        return ""

    def event(self, raw: bytes) -> Event | None:
        """The event that a payload describes; None for input that is not one JSON object."""
        found = loads(raw.decode("utf-8", "replace"))
        if not isinstance(found, dict):
            return None
        payload = Payload(found)
        return Event(
            KINDS.get(payload.text("hook_event_name"), ""),
            session=payload.text("session_id"),
            directory=payload.text("cwd"),
            files=_files(payload),
        )

    def notice(self, event: Event, text: str) -> bytes:
        """The answer that puts a text before the model."""
        name = quoted(NAMES[event.kind])
        fields = f'"hookEventName": {name}, "additionalContext": {quoted(text)}'
        return f'{{"hookSpecificOutput": {{{fields}}}}}\n'.encode("ascii")

    def deny(self, _event: Event, why: str) -> bytes:
        """The answer that refuses the call of a tool."""
        return f'{{"decision": "deny", "reason": {quoted(why)}}}\n'.encode("ascii")

    def watch(self, _event: Event, _path: str) -> bytes:
        """Gemini CLI watches no directories."""
        return b""


def _files(payload: Payload) -> tuple[str, ...]:
    """The path that a file tool is about to write; none for other tools."""
    path = payload.object("tool_input").text("file_path")
    return (path,) if path and payload.text("tool_name") in FILE_TOOLS else ()


HOST: Host = Gemini()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.base import Host
