"""Codex's dialect: its payload, its event names and its answers; and the entry of its hooks.

Why the variable of the session: Codex sets it for the commands of the model, and not for hooks, whose payload names the
session; hooks/mail-check reads it there and sets the variable, because by the session it finds what it keeps.
"""

from __future__ import annotations

from agentmail.core.lean_json import loads, quoted
from agentmail.hosts import PROMPT, START, WRITE, Event
from agentmail.hosts.runtime.process import Payload, run_job

NAMES = {START: "SessionStart", PROMPT: "UserPromptSubmit", WRITE: "PreToolUse"}
KINDS = {name: kind for kind, name in NAMES.items()}
#: The tools whose "command" may hold a patch: the patch tool, and a shell in which the patch program runs.
PATCH_TOOLS = ("apply_patch", "Bash")
#: The lines of a patch that name a file.
FILE_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def main(argv: list[str]) -> int:
    """Run a hook: `check EVENT`, `guard` or `wake EVENT`. Always 0."""
    if argv[:1] == ["wake"]:
        from os import getppid

        from agentmail.hosts.codex.queue_wake import start

        return start(getppid())
    return run_job(HOST, KINDS, argv)


class Codex:
    """The `Host` of Codex."""

    name = "codex"
    wake_code = 0

    def session(self, variables: Mapping[str, str]) -> str:
        """The session id in the variables, unchecked, or empty."""
        return variables.get("CODEX_THREAD_ID", "")

    def started_in(self, _variables: Mapping[str, str]) -> str:
        """Codex says nothing of it but in the payload, whose directory does not follow the model's `cd`."""
        return ""

    def version(self, _variables: Mapping[str, str]) -> str:
        """Codex says nothing of it to a hook."""
        return ""

    def env_file(self, _variables: Mapping[str, str]) -> str:
        """Codex has no such file."""
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
            subagent=bool(found.get("agent_id")),  # only events inside a subagent carry it
        )

    def notice(self, event: Event, text: str) -> bytes:
        """The answer that puts a text before the model."""
        return _answer(event, f'"additionalContext": {quoted(text)}')

    def deny(self, event: Event, why: str) -> bytes:
        """The answer that refuses the call of a tool."""
        return _answer(event, f'"permissionDecision": "deny", "permissionDecisionReason": {quoted(why)}')

    def watch(self, _event: Event, _path: str) -> bytes:
        """Codex watches no directories."""
        return b""


def _files(payload: Payload) -> tuple[str, ...]:
    """The paths that a patch is about to write; a relative one is meant from the session's directory."""
    if payload.text("tool_name") not in PATCH_TOOLS:
        return ()
    lines = payload.object("tool_input").text("command").splitlines()
    return tuple(line[len(lead) :].strip() for line in lines for lead in FILE_LINES if line.startswith(lead))


def _answer(event: Event, fields: str) -> bytes:
    """The one JSON object, in ASCII, that the host accepts as an answer."""
    name = quoted(NAMES[event.kind])
    return f'{{"hookSpecificOutput": {{"hookEventName": {name}, {fields}}}}}\n'.encode("ascii")


HOST: Host = Codex()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.base import Host
