"""mail-check: what waits, said when a session starts, and with a prompt only what is new to the session.

Silence is the answer to no mail, to nobody's session, to a subagent and to input that is not understood.
"""

from __future__ import annotations

import os

from agentmail.core import stamps
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError, UnknownIdentity
from agentmail.core.fs import reason
from agentmail.core.layout import INBOX
from agentmail.hosts.runtime.notice import unreadable
from agentmail.hosts.runtime.payload import DEADLINE_SECONDS, answer, guarded, read_payload, talk
from agentmail.hosts.runtime.session import Visit
from agentmail.hosts.runtime.throttle import Memory, forget_old

START, PROMPT = "SessionStart", "UserPromptSubmit"
EVENTS = (START, PROMPT)


def main(argv: list[str]) -> int:
    """Run the hook for the event that the command names; always 0."""
    event = argv[0] if argv else ""
    return guarded(lambda: check(event, Environment.of_process()), late=lambda: _late(event))


def check(event: str, environment: Environment) -> int:
    """Look, say, record, and leave the shell its memory."""
    payload = read_payload()
    if payload is None or event not in EVENTS or payload.text("hook_event_name") != event:
        return 0
    if payload.is_of_subagent():
        return 0  # it never takes its parent's notices
    try:
        visit = Visit(payload, environment)
        if visit.has_no_bus():
            return 0
        memory = Memory(visit.bus)
        identity = visit.identity()
    except (AgentMailError, OSError) as error:
        _say_at_start(event, error)
        return 0
    if identity is None:
        visit.remember(memory)
        return 0
    _look(event, visit, identity, memory)
    return 0


def _look(event: str, visit: Visit, identity: str, memory: Memory) -> None:
    try:
        with visit.open(identity) as box:
            if not visit.trial:
                memory.watch(box)
            notice = visit.notice(box, only_new=event == PROMPT)
    except UnknownIdentity as error:
        _say_at_start(event, error)
        return
    except (AgentMailError, OSError) as error:
        if visit.trial and isinstance(error, FileNotFoundError):
            return  # there is only a row so far, so nothing waits
        answer(event, {"additionalContext": unreadable(visit.bus.path(identity, INBOX), _why(error))})
        visit.log(identity, _why(error))
        return
    if notice is not None:
        answer(event, {"additionalContext": notice.text})
        memory.is_whole = not notice.more
    begins = event == START or not visit.begun
    recorded = visit.keep(notice.keys if notice is not None else [], session_fact=begins)
    if event == START and not visit.trial:
        _begin(visit, identity)
    if recorded:
        visit.remember(memory)


def _why(error: AgentMailError | OSError) -> str:
    return reason(error) if isinstance(error, OSError) else error.what


def _say_at_start(event: str, error: AgentMailError | OSError) -> None:
    """Whose session it is cannot be told: said once, and never taken for nobody's."""
    if event == START:
        text = (
            f"agentmail: {error}" if isinstance(error, AgentMailError) else unreadable("the bus", _why(error))
        )
        answer(event, {"additionalContext": text})
    else:
        talk(str(error))


def _late(event: str) -> None:
    if event == START:
        text = f"no answer from the bus within {DEADLINE_SECONDS} s; whether mail waits is not known"
        answer(event, {"additionalContext": f"agentmail: {text}."})


def _begin(visit: Visit, identity: str) -> None:
    """What a session gets once: the commands it runs know who they are, and the shell finds `agentmail`."""
    _export(visit, identity)
    _offer_command(visit.environment, visit.bus.disk)
    try:
        forget_old(visit.bus)
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
                stamps.symlink(disk, command, "agentmail", folder)
    except (OSError, AgentMailError):
        return


def own_command() -> str:
    """The path of our command in a checkout or a plugin; nothing is there in an installation by pip."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    return os.path.join(root, "bin", "agentmail")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
