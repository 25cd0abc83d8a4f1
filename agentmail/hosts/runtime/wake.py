"""mail-wake (opt-in): a message wakes an idle session.

At the start, and after every `cd` (which ends the watch), the hook asks the host to watch the inbox. When a file
appears there, the hook prints what is new to the session on standard error and exits with the host's wake code.
Each message wakes once, and many at once are one notice: what was printed is on record before the next process
looks.
"""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import INBOX, Bus
from agentmail.hosts import ARRIVED, MOVED, START
from agentmail.hosts.runtime.check import notice_of
from agentmail.hosts.runtime.process import answer, diagnose, guarded, read_input, write_all
from agentmail.hosts.runtime.session import HookSession

#: Hosts start one process a file, all at once; each waits until the one before has recorded what it printed.
PATIENCE_SECONDS = 1


def main(host: Host, kind: str) -> int:
    """Run the hook for the kind of event that its command names: the host's wake code, or 0."""
    return guarded(lambda: wake(host, kind, Environment.of_process()))


def wake(host: Host, kind: str, environment: Environment) -> int:
    """Have the inbox watched, or wake the session."""
    event = host.event(read_input())
    if event is None or not kind or event.kind != kind or event.subagent:
        return 0
    try:
        session = HookSession(host, event, environment, Bus(environment.bus_path()))
        identity = session.identity()
        if identity is None:
            return 0
        with session.open(identity) as box:
            if kind in (START, MOVED):
                _watch(session, box)
            elif kind == ARRIVED:
                return _wake(session, box)
    except (AgentMailError, OSError) as error:
        diagnose(str(error))
    return 0


def _watch(session: HookSession, box: Mailbox) -> None:
    if not session.dry_run:
        box.folder(INBOX)  # hosts do not watch a directory that does not exist
    answer(session.host.watch(session.event, box.path(INBOX)))
    if session.event.kind == START:
        session.presented(box, wait=PATIENCE_SECONDS)
        session.keep([], session_fact=True, wake=True)


def _wake(session: HookSession, box: Mailbox) -> int:
    notice = notice_of(session, box, only_new=True, wait=PATIENCE_SECONDS)
    if notice is None:
        return 0
    write_all(2, f"{notice.text}\n".encode("utf-8", "backslashreplace"))
    if system.goes_nowhere(2):
        return 0
    session.keep_counted(notice.counted, only_new=True)
    # Why the second look: a message that is not on record would wake without end; one that is on record, even
    # if the disk reported an error, is reported only now.
    recorded = session.keep(notice.keys) or session.presented(box).issuperset(notice.keys)
    return session.host.wake_code if recorded else 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.hosts.base import Host
