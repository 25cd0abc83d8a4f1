"""Runs the hooks of a file that forwards events, once and as a dry run, so that they record nothing."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.lean_json import loads
from agentmail.hosts.base import DryRun
from agentmail.hosts.hooks_file.dry_run import SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.hosts.forwarding.dialect import ForwardingHost

#: For each event: the job, the hook as people know it, and the field of its answer.
HOOKS = {
    "start": ("check start", "mail-check", "notice"),
    "prompt": ("check prompt", "mail-check", "notice"),
    "write": ("guard", "mail-guard", "deny"),
}
#: Variables that would make a hook act for the session that runs us.
LEFT_OUT = ("AGENT_MAIL_SESSION",)


def run_hooks(host: ForwardingHost, root: str, python: str, environment: Environment) -> list[DryRun]:
    """Run each hook of this installation in the current directory."""
    return [_run(host, root, python, environment, event) for event in HOOKS]


def _run(host: ForwardingHost, root: str, python: str, environment: Environment, event: str) -> DryRun:
    import subprocess

    job, hook, field = HOOKS[event]
    dialect = f"hosts.{host.name}.dialect"
    words = [os.path.join(root, "hooks", "run"), python or "-", dialect, *job.split()]
    variables = {name: value for name, value in environment.variables.items() if name not in LEFT_OUT}
    try:
        done = subprocess.run(  # noqa: S603 - what the host itself would run
            words,
            input=_payload(host, event, environment),
            env={**variables, "AGENT_MAIL_DRY_RUN": "1"},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return DryRun(event, hook, False, f"no answer within {SECONDS} s")
    except OSError as error:
        return DryRun(event, hook, False, f"it cannot be run: {error}")
    trouble = names.printable(done.stderr.decode("utf-8", "replace").strip()[:300])
    if done.returncode or trouble:
        return DryRun(event, hook, False, f"exit {done.returncode}{f': {trouble}' if trouble else ''}")
    found = loads(done.stdout.decode("utf-8", "replace")) if done.stdout else {field: ""}
    if not isinstance(found, dict) or not isinstance(found.get(field), str):
        shown = names.printable(done.stdout.decode("utf-8", "replace")[:300])
        return DryRun(event, hook, False, f"this is not the answer of a hook: {shown}")
    return DryRun(event, hook, True, found[field])


def _payload(host: ForwardingHost, event: str, environment: Environment) -> bytes:
    """What the file sends at this event; for a guard, a file tool that writes into a mailbox."""
    from json import dumps

    path = os.path.join(environment.bus_path(), "somebody", "inbox", "by-hand.md")
    tool, field = next(iter(host.paths.items()))
    fields = {"event": event, "session": "dry-run", "directory": environment.directory()}
    return dumps({**fields, "tool": tool, "input": {field: path}}).encode()
