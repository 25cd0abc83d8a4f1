"""Wakes an idle session of Codex (opt-in): a process beside it watches the inbox and queues the notice as a turn.

Codex watches no directories, so the hook of the session's start leaves this process behind. It lives as long as the
Codex that started it, one for a session, and looks at the modification time of the inbox. `codex queue` delivers: an
idle session takes the turn within some seconds, a busy one after its present turn. Each message wakes once, and many
at once are one notice: what was queued is on record before the next look.
"""

from __future__ import annotations

import os

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import INBOX, Bus
from agentmail.hosts import START, Event
from agentmail.hosts.codex.dialect import HOST
from agentmail.hosts.runtime.check import notice_of
from agentmail.hosts.runtime.process import diagnose, guarded, read_input
from agentmail.hosts.runtime.session import HookSession
from agentmail.hosts.runtime.throttle import COARSE_NS
from agentmail.hosts.runtime.wake import PATIENCE_SECONDS

LOOK_SECONDS = 2
#: After `codex queue` has failed.
AGAIN_SECONDS = 60
QUEUE_SECONDS = 30
#: How long the process of an earlier start of the session may take to end.
ALONE_SECONDS = 10
#: By then the start has told the session what waits.
FIRST_SECONDS = 5
MODULE = "hosts.codex.queue_wake"


def start(parent: int) -> int:
    """The hook at a session's start: leave the watching process behind; always 0."""
    return guarded(lambda: _start(Environment.of_process(), parent))


def _start(environment: Environment, parent: int) -> int:
    event = HOST.event(read_input())
    if event is None or event.kind != START or event.subagent:
        return 0
    try:
        session = HookSession(HOST, event, environment, Bus(environment.bus_path()))
        identity = session.identity()
        if identity is None or not session.session:
            return 0
        with session.open(identity) as box:
            if session.dry_run:
                return 0
            box.folder(INBOX)
            session.presented(box, wait=PATIENCE_SECONDS)
            session.keep([], session_fact=True, wake=True)
        _leave_behind(session, identity, parent)
    except (AgentMailError, OSError) as error:
        diagnose(str(error))
    return 0


def _leave_behind(session: HookSession, identity: str, parent: int) -> None:
    import sys

    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    program = next(
        path
        for folder in (os.path.join(root, "agentmail"), root)
        if os.path.isfile(path := os.path.join(folder, "hooks", "run"))
    )
    words = [program, sys.executable, MODULE, identity, session.session, session.event.directory, str(parent)]
    if os.fork():
        return
    # A process of its own, which holds nothing that the host waits for.
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.execv(program, words)  # noqa: S606


def main(argv: list[str]) -> int:
    """Watch until the Codex that is the parent has ended: the identity, the session, its directory, the parent."""
    identity, session_id, directory, parent = argv
    environment = Environment.of_process()
    bus = Bus(environment.bus_path())
    session = HookSession(HOST, Event(START, session=session_id, directory=directory), environment, bus)
    session.identity()
    try:
        with bus.mailbox(identity) as box:
            if not session.home or not _is_alone(session):
                return 0
            _watch(session, box, int(parent))
    except (AgentMailError, OSError) as error:
        session.log(f"the watch of the inbox for a session of Codex has ended: {error}")
    return 0


def _is_alone(session: HookSession) -> bool:
    """Is no other process watching for this session? The lock ends with this process."""
    from agentmail.core.locks import lock
    from agentmail.hosts.runtime.throttle import FOLDER, WATCH
    from agentmail.ledger.machine import local_directory

    disk = session.bus.disk
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with local_directory(disk, session.home, session.bus.root, FOLDER, session.session, make=True) as state:
        try:
            lock(disk, disk.call("create", os.open, WATCH, flags, 0o600, dir_fd=state), ALONE_SECONDS)
        except TimeoutError:
            return False
    return True


def _watch(session: HookSession, box: Mailbox, parent: int) -> None:
    from time import sleep

    seen = -1
    sleep(FIRST_SECONDS)
    while _is_alive(parent):
        disk, clock = session.bus.disk, session.bus.clock
        now = disk.fstat(box.folder(INBOX)).st_mtime_ns
        if now != seen:
            # A young time may be that of the next change too.
            seen = now if clock.now_ns() - now > COARSE_NS else -1
            if not _queue(session, box):
                seen = -1
                sleep(AGAIN_SECONDS)
        sleep(LOOK_SECONDS)


def _queue(session: HookSession, box: Mailbox) -> bool:
    """Queue the notice of what is new to the session; False where Codex did not take it."""
    import subprocess

    notice = notice_of(session, box, only_new=True, wait=PATIENCE_SECONDS)
    if notice is None:
        session.keep([])  # which lets go of the record
        return True
    words = ["codex", "queue", "--thread", session.session, "--message", notice.text]
    try:
        done = subprocess.run(  # noqa: S603 - the host's own program
            words,
            env=dict(session.environment.variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=QUEUE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        session.log(f"codex queue failed: {error}")
        return False
    if done.returncode:
        session.log(f"codex queue failed: {done.stderr.decode('utf-8', 'replace')[-300:]}")
        return False
    session.keep(notice.keys)
    session.keep_counted(notice.counted, only_new=True)
    return True


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
