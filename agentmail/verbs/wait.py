"""Wait: until something waits that this session was not shown."""

from __future__ import annotations

import time

from agentmail.core import names
from agentmail.core.errors import NotFound, Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.core.layout import INBOX, waiting
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import LIMIT, SessionFile
from agentmail.message import sort_key
from agentmail.verbs.acting import recorder_of
from agentmail.verbs.call import TypedDict
from agentmail.verbs.check import OpenInbox
from agentmail.verbs.followed import FollowedInbox
from agentmail.verbs.presenting import append_presented, unrecorded
from agentmail.verbs.read import read

#: Seconds for which a look waits for another process of the session to end its presenting, then between looks.
PATIENCE, AGAIN = 1.0, 0.2
TIMEOUT_MAX = 7 * 86_400


class Waited(TypedDict):
    """`wait`: what is new to the session (empty: none is known), oldest first; no messages when time was up.

    `how` is `notification` or `polling`. With `--body` also the texts.
    """

    identity: str
    path: str
    session: str
    how: str
    messages: list[Summary]
    texts: NotRequired[list[Opened]]


def wait(
    call: SessionCall, identity: Me, *, timeout: float | None = None, poll: bool = False, body: bool = False
) -> Waited:
    """Wait for a message that is new to this session, print it and record that."""
    with open_wait(call, identity, timeout=timeout, poll=poll, body=body) as waiting:
        outcome = waiting.outcome()
        waiting.record_shown()
        return outcome


def open_wait(
    call: Call, identity: str, *, timeout: float | None = None, poll: bool = False, body: bool = False
) -> Waiting:
    """The wait as a `with` block: show what `outcome` returns, then `record_shown`.

    `timeout` is in seconds; none waits without end. Refused where it is over a week.
    """
    if timeout is not None and not 0 <= timeout <= TIMEOUT_MAX:
        raise Refused(
            f"{timeout:.0f} is not a number of seconds to wait",
            names.NOTHING_CHANGED,
            f"give at most {TIMEOUT_MAX}",
        )
    return Waiting(call, identity, deadline_of(timeout), poll=poll, body=body)


class Waiting:
    """The wait of one session at one mailbox. `how` is `notification` or `polling`.

    Why the record is locked from the look to the end: of two waiters of one session the second then sees what
    the first presented. A waiter that is killed before recording releases the lock, and has presented nothing.
    """

    def __init__(
        self,
        call: Call,
        identity: str,
        deadline: float | None = None,
        *,
        poll: bool = False,
        body: bool = False,
    ) -> None:
        self.call = call
        self.bus = call.bus
        self.identity = identity
        self.recorder = recorder_of(call, identity)
        self.deadline = deadline
        self.body = body
        self.shown: list[Summary] = []
        #: How many messages to show at most, the oldest; the others are new to the next wait.
        self.most: int | None = None
        #: Called once before a wait without end.
        self.announce: Callable[[], None] | None = None
        #: Called after each look that found nothing new; looks are some seconds apart at most.
        self.meanwhile: Callable[[], None] | None = None
        self.cancelled = False
        self.record: SessionFile | None = None
        self._inbox = FollowedInbox(call.bus, identity, poll=poll)
        self._busy = False

    def __enter__(self) -> Waiting:
        try:
            box = self._inbox.mailbox()
            if self.recorder is not None:
                self._begin_record(box, self.recorder)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin_record(self, box: Mailbox, recorder: Recorder) -> None:
        """Write the first fact of the record, so that one that cannot be written is known before anything is shown."""
        try:
            self.record = SessionFile(box, recorder.machine, recorder.session)
            append_presented(self.record, recorder, [], self.bus.clock.now_ns())
        except OSError as error:
            raise TryAgain(
                f"cannot write the record of session {recorder.session}: {reason(error)}",
                "nothing was shown",
                "see `agentmail doctor`, then wait again",
            ) from error

    def __exit__(self, *_: object) -> None:
        if self.record is not None:
            self.record.__exit__()
        self._inbox.close()

    @property
    def how(self) -> str:
        """`notification` or `polling`."""
        return self._inbox.how

    def outcome(self) -> Waited:
        """Wait: what is new, oldest first, with the session's record locked; no messages when time is up.

        A text that cannot be read is left out, and a note says why.
        """
        self.until(self.deadline)
        outcome: Waited = {
            "identity": self.identity,
            "path": self.bus.path(self.identity, INBOX),
            "session": self.recorder.session if self.recorder else "",
            "how": self.how,
            "messages": self.shown,
        }
        if self.body:
            outcome["texts"] = self._texts()
        return outcome

    def cancel(self) -> None:
        """End the wait now, with what the last look found; for other threads."""
        self.cancelled = True
        self._inbox.wake()

    def _texts(self) -> list[Opened]:
        texts = []
        for message in self.shown:
            try:
                texts.append(read(self.call, self.identity, message["id"]))
            except (NotFound, Refused) as error:
                self.bus.disk.notes.append(str(error))
        return texts

    def until(self, deadline: float | None) -> list[Summary]:
        """What is new, oldest first, with the session's record locked; empty at the deadline (monotonic clock)."""
        while True:
            self.shown = self._new()[: self.most]
            if self.shown:
                return self.shown
            if deadline is None and self.announce is not None:
                self.announce()
                self.announce = None
            if self.meanwhile is not None:
                self.meanwhile()
            if self.cancelled or not self._inbox.wait(deadline, AGAIN if self._busy else None):
                break
        if self._busy and self.recorder is not None and not self.cancelled:
            raise TryAgain(
                f"another process of session {self.recorder.session} has kept its record locked",
                "what is new was not looked at",
                "try again",
            )
        return []

    def _new(self) -> list[Summary]:
        """What waits and was not shown to this session; where that is anything, the lock is kept."""
        files = waiting(self._inbox.mailbox())
        self._busy = bool(files) and not self._locked()
        if not files or self._busy:
            return []
        shown = self.record.receipts(LIMIT).presented if self.record is not None else {}
        found = self._summaries([name for name in files if key_of(name) not in shown])
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

    def _summaries(self, files: list[str]) -> list[Summary]:
        """Those that are still there, as `check` shows them."""
        if not files:
            return []
        with OpenInbox(self.bus, self.identity) as inbox:
            found = [one for one in map(inbox.summary, files) if one is not None]
        return sorted(found, key=lambda one: sort_key(one["file"], one["date"]))

    def record_shown(self) -> None:
        """Record that the messages were shown; Unconfirmed where that cannot be written. The lock ends with the wait."""
        if self.record is None or self.recorder is None:
            return
        keys = [key_of(one["file"]) for one in self.shown]
        try:
            append_presented(self.record, self.recorder, keys, self.bus.clock.now_ns())
        except OSError as error:
            raise unrecorded(self.recorder, error) from error


def deadline_of(timeout: float | None) -> float | None:
    """The moment of the monotonic clock at which `timeout` seconds are up."""
    return None if timeout is None else time.monotonic() + timeout


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me, Recorder, SessionCall
    from agentmail.verbs.check import Summary
    from agentmail.verbs.read import Opened
