"""Wait: until something waits that this session was not shown."""

from __future__ import annotations

import time

from agentmail.core.identities import open_mailbox
from agentmail.core.layout import INBOX
from agentmail.core.mailbox import waiting
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import SessionFile
from agentmail.verbs.presenting import append_presented
from agentmail.watch import Watch


class Waiting:
    """The wait of one session at one mailbox. `how` says whether the system notifies or it is looked again."""

    def __init__(self, bus: Bus, identity: str, origin: Origin | None, *, poll: bool = False) -> None:
        self.bus = bus
        self.box = open_mailbox(bus, identity)
        self.origin = origin
        self.record = SessionFile(self.box, origin.machine, origin.session) if origin else None
        # Watch first, look after: what arrives in between is seen by the look, what arrives later is told.
        self.box.folder(INBOX)
        self.watch = Watch(self.box.path(INBOX), poll=poll)

    def until(self, deadline: float | None) -> list[str]:
        """The file names of what is new, oldest first, with the session's record locked; empty when time is up."""
        while True:
            found = self._new()
            if found:
                return found
            if not self.watch.wait(deadline):
                return []

    def _new(self) -> list[str]:
        names = waiting(self.box)
        if self.record is None or not names:
            return names
        self.record.lock()
        shown = self.record.receipts().presented
        new = [name for name in names if key_of(name) not in shown]
        if not new:
            self.record.unlock()
        return new

    def present(self, names: list[str]) -> None:
        """Record that these were printed; the lock goes with the record."""
        if self.record is not None and self.origin is not None:
            keys = [key_of(name) for name in names]
            append_presented(self.record, self.origin, keys, self.bus.clock.now_ns())

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self.watch.__exit__()
        if self.record is not None:
            self.record.__exit__()
        self.box.close()


def deadline_of(timeout: float | None) -> float | None:
    """The moment of the monotonic clock at which `timeout` seconds are up."""
    return None if timeout is None else time.monotonic() + timeout


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.presenting import Origin
