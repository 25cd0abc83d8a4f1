"""mail-check: what waits, said when a session starts, and with a prompt only what is new to the session.

Silence is the answer to no mail, to nobody's session, to a subagent and to input that is not understood.
"""

from __future__ import annotations

import os

from agentmail.core.errors import AgentMailError, Refused, UnknownIdentity
from agentmail.core.fs import reason
from agentmail.core.layout import INBOX, Environment
from agentmail.hosts import throttle
from agentmail.hosts.notice import unreadable
from agentmail.hosts.payload import answer, guarded, read_payload
from agentmail.hosts.visit import Visit

START, PROMPT = "SessionStart", "UserPromptSubmit"
EVENTS = (START, PROMPT)


def main(argv: list[str]) -> int:
    """Run the hook for the event that the command names; always 0."""
    return guarded(lambda: check(argv[0] if argv else "", Environment.of_process()))


def check(event: str, environment: Environment) -> int:
    """Look, say, record, and leave the shell its memory."""
    payload = read_payload()
    # A subagent never takes its parent's notices.
    if (
        payload is None
        or payload.text("hook_event_name") != event
        or event not in EVENTS
        or payload.text("agent_id")
    ):
        return 0
    try:
        visit = Visit(payload, environment)
        identity = visit.identity()
    except Refused as error:
        if event == START:
            answer(event, {"additionalContext": f"agentmail: {error}"})
        return 0
    except UnknownIdentity:
        return 0
    if identity is None:
        _remember(visit, None)
        return 0
    _look(event, visit, identity)
    return 0


def _look(event: str, visit: Visit, identity: str) -> None:
    try:
        with visit.open(identity) as box:
            memory = throttle.Memory(visit.bus, box)
            notice = visit.notice(box, only_new=event == PROMPT)
            if notice is not None:
                answer(event, {"additionalContext": notice.text})
            keys = notice.keys if notice is not None else []
            visit.keep(keys, session_fact=event == START)
            if event == START:
                _begin(visit, identity)
            _remember(visit, memory)
    except UnknownIdentity as error:
        if event == START:
            answer(event, {"additionalContext": f"agentmail: {error}"})
    except (OSError, AgentMailError) as error:
        why = reason(error) if isinstance(error, OSError) else error.what
        answer(event, {"additionalContext": unreadable(visit.bus.path(identity, INBOX), why)})
        visit.log(identity, why)


def _remember(visit: Visit, memory: throttle.Memory | None) -> None:
    """Let the next prompts be silent in the shell; a state that cannot be written only costs time."""
    if visit.trial or not visit.session:
        return
    try:
        memory = memory or throttle.Memory(visit.bus, None)
        memory.keep(visit.session, visit.environment.variables.get("AGENT_MAIL_CHECK_INTERVAL"))
    except (OSError, AgentMailError):
        return


def _begin(visit: Visit, identity: str) -> None:
    """What a session gets once: the commands it runs know who they are, and the shell finds `agentmail`."""
    if visit.trial:
        return
    _export(visit, identity)
    _offer_command(visit.environment, visit.bus.disk)
    try:
        throttle.forget_old(visit.bus)
    except (OSError, AgentMailError):
        return


def _export(visit: Visit, identity: str) -> None:
    path = visit.environment.variables.get("CLAUDE_ENV_FILE", "")
    if not os.path.isabs(path):
        return
    lines = [f"export AGENT_MAIL_SELF={identity}\n"]
    if visit.session:
        lines.append(f"export AGENT_MAIL_SESSION={visit.session}\n")
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError:
        return


def _offer_command(environment: Environment, disk: Disk) -> None:
    """A link ~/.local/bin/agentmail to ours, where that directory is and the name is free; else nothing."""
    command = own_command()
    try:
        if os.access(command, os.X_OK):
            with disk.directory(os.path.join(environment.home(), ".local", "bin"), follow=True) as folder:
                disk.symlink(command, "agentmail", folder)
    except (OSError, AgentMailError):
        return


def own_command() -> str:
    """The path of our command in a checkout or a plugin; nothing is there in an installation by pip."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.path.join(root, "bin", "agentmail")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
