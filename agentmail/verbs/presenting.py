"""Record that a session was shown messages: after the printing, so that a crash repeats and never hides."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.errors import Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import PRESENTED, message_line, session_line
from agentmail.ledger.sessions import LIMIT, SessionFile

HOST = "command-line"


def present(bus: Bus, identity: str, origin: Origin, keys: list[str]) -> None:
    """Append `presented` for the keys this session has none for; Unconfirmed where it cannot be written."""
    if not keys:
        return
    try:
        with open_mailbox(bus, identity) as box, SessionFile(box, origin.machine, origin.session) as record:
            record.lock()
            append_presented(record, origin, keys, bus.clock.now_ns())
    except OSError as error:
        raise unrecorded(origin, error) from error


def unrecorded(origin: Origin, error: OSError) -> Unconfirmed:
    """The error of a presentation that is done, and not on record."""
    return Unconfirmed(
        f"the messages were shown, but session {origin.session} could not record it: {reason(error)}",
        "they will be shown to it as new again",
        "see `agentmail doctor`",
    )


def append_presented(record: SessionFile, origin: Origin, keys: list[str], now_ns: int) -> None:
    """The facts that are missing, in one write; the session's own first, where it has none."""
    now = times.timestamp(now_ns)
    known = record.receipts(LIMIT)
    lines = [message_line(PRESENTED, key, now) for key in dict.fromkeys(keys) if key not in known.presented]
    record.append(([] if known.sessions else [origin.line(now)]) + lines)


class Origin:
    """Who acts: a session on a machine, with the directory it works in."""

    __slots__ = ("machine", "session", "workdir")

    def __init__(self, machine: str, session: str, workdir: str) -> None:
        self.machine = machine
        self.session = session
        self.workdir = workdir

    def line(self, now: str) -> str:
        """The session fact."""
        return session_line(
            machine=self.machine,
            session=self.session,
            host=HOST,
            workdir=self.workdir,
            wake=False,
            time=now,
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
