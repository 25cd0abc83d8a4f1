"""Runs hooks as the host would, once, with the switch that keeps them from recording anything: what do they say?"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.lean_json import loads
from agentmail.hosts.claude_code.own_hooks import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.core.environment import Environment
    from agentmail.hosts.claude_code.read_settings import Handler

SECONDS = 10
#: What the shell says in a notice's place where it finds no Python.
NO_PYTHON = "agentmail cannot look for mail"
#: What would make a hook take this for the session that runs us.
LEFT_OUT = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_ENV_FILE", "AGENT_MAIL_SESSION")


class Fired:
    """What one hook did: whether it answered as a hook should, and its words, or what went wrong."""

    __slots__ = ("event", "name", "said", "works")

    def __init__(self, event: str, name: str, works: bool, said: str) -> None:
        self.event = event
        self.name = name
        self.works = works
        self.said = said


def fire(handler: Handler, environment: Environment, bus: str) -> Fired:
    """Run one command of the settings for its event, in the current directory."""
    import subprocess

    directory = environment.directory()
    line = (
        [handler.command, *handler.args] if handler.args is not None else ["/bin/sh", "-c", handler.command]
    )
    name = (program(handler.command, handler.args) or ("",))[0]
    try:
        done = subprocess.run(  # noqa: S603 - the line that the host itself would run
            line,
            input=_payload(handler.event, directory, bus),
            env=_variables(environment, directory),
            cwd=directory,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Fired(handler.event, name, False, f"no answer within {SECONDS} s")
    except (OSError, ValueError) as error:
        return Fired(handler.event, name, False, f"it cannot be run: {error}")
    words = names.printable(done.stderr.decode("utf-8", "replace").strip()[:300])
    if done.returncode or words:
        return Fired(handler.event, name, False, f"exit {done.returncode}{f': {words}' if words else ''}")
    return _judged(handler.event, name, done.stdout)


def _judged(event: str, name: str, output: bytes) -> Fired:
    if not output:
        return Fired(event, name, True, "")
    found = loads(output.decode("utf-8", "replace"))
    inner = found.get("hookSpecificOutput") if isinstance(found, dict) else None
    if not isinstance(inner, dict) or inner.get("hookEventName") != event:
        shown = names.printable(output.decode("utf-8", "replace")[:300])
        return Fired(event, name, False, f"this is no answer of a hook: {shown}")
    said = inner.get("additionalContext") or inner.get("permissionDecisionReason") or inner.get("watchPaths")
    text = " ".join(said) if isinstance(said, list) else str(said)
    return Fired(event, name, not text.startswith(NO_PYTHON), text)


def _variables(environment: Environment, directory: str) -> Mapping[str, str]:
    kept = {name: value for name, value in environment.variables.items() if name not in LEFT_OUT}
    return {**kept, "AGENT_MAIL_TRIAL": "1", "CLAUDE_PROJECT_DIR": directory}


def _payload(event: str, directory: str, bus: str) -> bytes:
    """What the host would say at this event; for a guard, a file tool that writes into a mailbox."""
    from json import dumps

    path = os.path.join(bus, "somebody", "inbox", "by-hand.md")
    fields = {
        "session_id": "trial",
        "hook_event_name": event,
        "cwd": directory,
        "source": "startup",
        "tool_name": "Write",
        "tool_input": {"file_path": path},
    }
    return dumps(fields).encode()
