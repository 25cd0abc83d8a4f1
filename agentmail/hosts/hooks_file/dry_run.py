"""Runs a hook once as its host would, but as a dry run, so that it records nothing: what does it say?"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.lean_json import loads
from agentmail.hosts.base import DryRun
from agentmail.hosts.hooks_file.own_hooks import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.hosts.hooks_file.host import HooksHost
    from agentmail.hosts.hooks_file.read_settings import HookEntry

SECONDS = 10
#: The beginning of what the shell prints in place of a notice if it finds no Python.
NO_PYTHON = "agentmail cannot look for mail"


def run_hook(host: HooksHost, entry: HookEntry, environment: Environment) -> DryRun:
    """Run one command of the settings for its event, in the current directory."""
    import subprocess

    directory = environment.directory()
    line = [entry.command, *entry.args] if entry.args is not None else ["/bin/sh", "-c", entry.command]
    name = (program(entry.command, entry.args) or ("",))[0]
    try:
        done = subprocess.run(  # noqa: S603 - the line that the host itself would run
            line,
            input=_payload(host, entry.event, directory, environment.bus_path()),
            env={**host.variables(environment, directory), "AGENT_MAIL_DRY_RUN": "1"},
            cwd=directory,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return DryRun(entry.event, name, False, f"no answer within {SECONDS} s")
    except (OSError, ValueError) as error:
        return DryRun(entry.event, name, False, f"it cannot be run: {error}")
    words = names.printable(done.stderr.decode("utf-8", "replace").strip()[:300])
    if done.returncode or words:
        return DryRun(entry.event, name, False, f"exit {done.returncode}{f': {words}' if words else ''}")
    return _judged(entry.event, name, done.stdout)


def _judged(event: str, name: str, output: bytes) -> DryRun:
    if not output:
        return DryRun(event, name, True, "")
    found = loads(output.decode("utf-8", "replace"))
    inner = found.get("hookSpecificOutput") if isinstance(found, dict) else None
    if isinstance(found, dict) and found.get("decision") == "deny":  # the form of some hosts
        return DryRun(event, name, True, str(found.get("reason")))
    if not isinstance(inner, dict) or inner.get("hookEventName") != event:
        shown = names.printable(output.decode("utf-8", "replace")[:300])
        return DryRun(event, name, False, f"this is not the answer of a hook: {shown}")
    said = inner.get("additionalContext") or inner.get("permissionDecisionReason") or inner.get("watchPaths")
    text = " ".join(said) if isinstance(said, list) else str(said)
    return DryRun(event, name, not text.startswith(NO_PYTHON), text)


def _payload(host: HooksHost, event: str, directory: str, bus: str) -> bytes:
    """The payload of the host at this event; for a guard, a file tool that writes into a mailbox."""
    from json import dumps

    path = os.path.join(bus, "somebody", "inbox", "by-hand.md")
    fields = {
        "session_id": "dry-run",
        "hook_event_name": event,
        "cwd": directory,
        "source": "startup",
        **host.tool(path),
    }
    return dumps(fields).encode()
