"""mail-wake: an idle session is woken by a message. Opt-in.

At the start, and after every `cd` (which drops the watch), the host is told to watch the inbox. When a file
appears there, what is new to the session is said on standard error with exit 2, which wakes it; every message
once, many at once in one notice, because what was said is on record before the next process looks.
"""

from __future__ import annotations

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import INBOX
from agentmail.hosts.runtime.payload import answer, guarded, read_payload, talk, write
from agentmail.hosts.runtime.session import Visit

START, MOVED, CHANGED = "SessionStart", "CwdChanged", "FileChanged"
WAKE = 2
#: The host starts one process a file, all at once; each waits until the one before has recorded what it said.
PATIENCE_SECONDS = 1


def main(argv: list[str]) -> int:
    """Run the hook for the event that the command names: 2 to wake, else 0."""
    return guarded(lambda: wake(argv[0] if argv else "", Environment.of_process()))


def wake(event: str, environment: Environment) -> int:
    """Watch, or wake."""
    payload = read_payload()
    if payload is None or payload.text("hook_event_name") != event or payload.is_of_subagent():
        return 0
    try:
        visit = Visit(payload, environment)
        identity = visit.identity()
        if identity is None:
            return 0
        with visit.open(identity) as box:
            if event in (START, MOVED):
                _watch(event, visit, box)
            elif event == CHANGED and payload.text("event") == "add":
                return _wake(visit, box)
    except (AgentMailError, OSError) as error:
        talk(str(error))
    return 0


def _watch(event: str, visit: Visit, box: Mailbox) -> None:
    if not visit.trial:
        box.folder(INBOX)  # a directory that is not there is never watched
    answer(event, {"watchPaths": [box.path(INBOX)]})
    if event == START:
        visit.presented(box, wait=PATIENCE_SECONDS)
        visit.keep([], session_fact=True, wake=True)


def _wake(visit: Visit, box: Mailbox) -> int:
    notice = visit.notice(box, only_new=True, wait=PATIENCE_SECONDS)
    if notice is None:
        return 0
    write(2, notice.text + "\n")
    # What is not on record would wake without end; what is on record, whatever the disk said of it, is said only now.
    recorded = visit.keep(notice.keys) or visit.presented(box).issuperset(notice.keys)
    return WAKE if recorded else 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
