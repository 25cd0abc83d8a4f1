"""Claude Code's dialect: its payload, its event names, its variables and its answers; and the entry of its hooks.

Why the entry is here: each module that a prompt loads costs time, and the entry needs the dialect anyway.
"""

from __future__ import annotations

from agentmail.core.lean_json import loads, quoted
from agentmail.hosts import ARRIVED, MOVED, PROMPT, START, WRITE, Event
from agentmail.hosts.runtime.process import Payload, run_job

NAMES = {
    START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    WRITE: "PreToolUse",
    MOVED: "CwdChanged",
    ARRIVED: "FileChanged",
}
KINDS = {name: kind for kind, name in NAMES.items()}
FILE_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
PATH_FIELDS = ("file_path", "notebook_path", "path")


def main(argv: list[str]) -> int:
    """Run a hook: `check EVENT`, `guard` or `wake EVENT`. Returns 2 to wake an idle session, else 0."""
    return run_job(HOST, KINDS, argv)


class ClaudeCode:
    """The `Host` of Claude Code."""

    name = "claude-code"
    wake_code = 2

    def session(self, variables: Mapping[str, str]) -> str:
        """The session id in the variables, unchecked, or empty."""
        return variables.get("CLAUDE_CODE_SESSION_ID", "")

    def started_in(self, variables: Mapping[str, str]) -> str:
        """The directory that the host was started in, unchecked, or empty."""
        return variables.get("CLAUDE_PROJECT_DIR", "")

    def version(self, variables: Mapping[str, str]) -> str:
        """The version in a variable such as AI_AGENT=claude-code_2-1-332_harness; empty for another."""
        name, _, rest = variables.get("AI_AGENT", "").partition("_")
        return rest.partition("_")[0].replace("-", ".") if name == self.name else ""

    def env_file(self, variables: Mapping[str, str]) -> str:
        """The file whose shell lines set variables for the commands of the session."""
        return variables.get("CLAUDE_ENV_FILE", "")

    def event(self, raw: bytes) -> Event | None:
        """The event that a payload describes; None for input that is not one JSON object."""
        found = loads(raw.decode("utf-8", "replace"))
        if not isinstance(found, dict):
            return None
        payload = Payload(found)
        kind = KINDS.get(payload.text("hook_event_name"), "")
        if kind == ARRIVED and payload.text("event") != "add":
            kind = ""
        return Event(
            kind,
            session=payload.text("session_id"),
            directory=payload.text("cwd"),
            files=_files(payload),
            subagent=bool(found.get("agent_id")),  # only events inside a subagent carry it
        )

    def notice(self, event: Event, text: str) -> bytes:
        """The answer that puts a text before the model."""
        return _answer(event, f'"additionalContext": {quoted(text)}')

    def deny(self, event: Event, why: str) -> bytes:
        """The answer that refuses the call of a tool."""
        return _answer(event, f'"permissionDecision": "deny", "permissionDecisionReason": {quoted(why)}')

    def watch(self, event: Event, path: str) -> bytes:
        """The answer that has a directory watched for new files."""
        return _answer(event, f'"watchPaths": [{quoted(path)}]')


def _files(payload: Payload) -> tuple[str, ...]:
    """The paths that a file tool is about to write; none for other tools and other events."""
    if payload.text("tool_name") not in FILE_TOOLS:
        return ()
    given = payload.object("tool_input")
    return tuple(path for field in PATH_FIELDS if (path := given.text(field)))


def _answer(event: Event, fields: str) -> bytes:
    """The one JSON object, in ASCII, that the host accepts as an answer."""
    name = quoted(NAMES[event.kind])
    return f'{{"hookSpecificOutput": {{"hookEventName": {name}, {fields}}}}}\n'.encode("ascii")


HOST: Host = ClaudeCode()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.base import Host
