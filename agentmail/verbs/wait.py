"""Wait: until something waits that this session was not shown."""

from __future__ import annotations

import time

from agentmail.core.errors import TryAgain
from agentmail.core.layout import INBOX, waiting
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import LIMIT, SessionFile
from agentmail.message import sort_key
from agentmail.verbs.check import Box
from agentmail.verbs.presenting import append_presented, unrecorded
from agentmail.watch import Watch

#: Seconds for which a look waits for another process of the session to end its presenting, then between looks.
PATIENCE, AGAIN = 1.0, 0.2


class Waiting:
    """The wait of one session at one mailbox. `how` says whether the system notifies or it is looked again.

    Why the record is locked from the look to the end: of two waiters of one session the second then sees what
    the first presented. Who dies in between has presented nothing, and the kernel frees the lock.
    """

    def __init__(self, bus: Bus, identity: str, origin: Origin | None, *, poll: bool = False) -> None:
        self.bus = bus
        self.identity = identity
        self.origin = origin
        self.poll = poll
        self.record: SessionFile | None = None
        self._box: Mailbox | None = None
        self._watch: Watch | None = None
        self._busy = False

    def __enter__(self) -> Waiting:
        try:
            box = self._follow()
            if self.origin is not None:
                self.record = SessionFile(box, self.origin.machine, self.origin.session)
                append_presented(self.record, self.origin, [], self.bus.clock.now_ns())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.stop()
        if self.record is not None:
            self.record.__exit__()
        if self._box is not None:
            self._box.close()

    @property
    def how(self) -> str:
        """`notification` or `polling`."""
        return self._watch.how if self._watch is not None else ""

    def until(self, deadline: float | None) -> list[Summary]:
        """What is new, oldest first, with the session's record locked; empty when time is up."""
        while True:
            found = self._new()
            if found:
                return found
            if self._watch is None or not self._watch.wait(deadline, AGAIN if self._busy else None):
                break
        if self._busy and self.origin is not None:
            raise TryAgain(
                f"another process of session {self.origin.session} has been presenting to it all the time",
                "what is new was not looked at",
                "try again",
            )
        return []

    def _follow(self) -> Mailbox:
        """The mailbox, with its inbox watched. Watch first, look after: so nothing can slip between the two.

        Why anew at each look: git removes an inbox that it emptied and makes another, which nobody watches.
        The old one is kept open for as long, so that no other directory can get its number.
        """
        while True:
            fresh = open_mailbox(self.bus, self.identity)
            if self._box is not None and _inbox_of(fresh) == _inbox_of(self._box):
                fresh.close()
                return self._box
            before, self._box = self._box, fresh
            if before is not None:
                before.close()
            if self._watch is not None:
                self._watch.stop()
            fresh.folder(INBOX)
            # Then once more from the top: it may have been removed before the watch began.
            self._watch = Watch(fresh.path(INBOX), poll=self.poll)

    def _new(self) -> list[Summary]:
        """What waits and was not shown to this session; where that is anything, the lock is kept."""
        names = waiting(self._follow())
        self._busy = bool(names) and not self._locked()
        if not names or self._busy:
            return []
        shown = self.record.receipts(LIMIT).presented if self.record is not None else {}
        found = self._summaries([name for name in names if key_of(name) not in shown])
        if not found and self.record is not None:
            self.record.unlock()
        return found

    def _locked(self) -> bool:
        if self.record is not None:
            try:
                self.record.lock(PATIENCE)
            except TimeoutError:
                return False
        return True

    def _summaries(self, names: list[str]) -> list[Summary]:
        """Those that are still there, as `check` shows them."""
        if not names:
            return []
        look = Box(self.bus, self.identity)
        with look.box:
            found = [one for one in map(look.summary, names) if one is not None]
        return sorted(found, key=lambda one: sort_key(one["file"], one["date"]))

    def present(self, messages: list[Summary]) -> None:
        """Record that these were printed; Unconfirmed where that cannot be written. The lock ends with the wait."""
        if self.record is None or self.origin is None:
            return
        keys = [key_of(one["file"]) for one in messages]
        try:
            append_presented(self.record, self.origin, keys, self.bus.clock.now_ns())
        except OSError as error:
            raise unrecorded(self.origin, error) from error


def _inbox_of(box: Mailbox) -> tuple[int, int]:
    """Which directory its inbox is."""
    info = box.disk.fstat(box.folder(INBOX))
    return info.st_dev, info.st_ino


def deadline_of(timeout: float | None) -> float | None:
    """The moment of the monotonic clock at which `timeout` seconds are up."""
    return None if timeout is None else time.monotonic() + timeout


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.outcomes import Summary
    from agentmail.verbs.presenting import Origin
