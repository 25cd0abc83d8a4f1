"""A followed inbox: watched for changes, also after somebody replaced its directory."""

from __future__ import annotations

import threading

from agentmail.core.layout import INBOX
from agentmail.core.roster import open_mailbox
from agentmail.watch import Watch


class FollowedInbox:
    """The mailbox of an identity, with its inbox watched. Closed by `close`."""

    def __init__(self, bus: Bus, identity: str, *, poll: bool = False) -> None:
        self.bus = bus
        self.identity = identity
        self.poll = poll
        self._changed = threading.Event()
        self._box: Mailbox | None = None
        self._watch: Watch | None = None

    @property
    def how(self) -> str:
        """`notification` or `polling`; empty before the first look."""
        return self._watch.how if self._watch is not None else ""

    def mailbox(self) -> Mailbox:
        """The mailbox as it now is. The watch starts before the look, so that no message is missed.

        Why at each look: git removes an inbox that it emptied and makes another one, which is not watched.
        The old one stays open meanwhile, so that no other directory can get its inode number.
        """
        while True:
            fresh = open_mailbox(self.bus, self.identity)
            try:
                same = self._box is not None and _inbox_of(fresh) == _inbox_of(self._box)
            except BaseException:
                fresh.close()
                raise
            if same and self._box is not None:
                fresh.close()
                return self._box
            before, self._box = self._box, fresh
            if before is not None:
                before.close()
            if self._watch is not None:
                self._watch.stop()
            fresh.folder(INBOX)
            # Then once more from the top: it may have been removed before the watch began.
            self._watch = Watch(fresh.path(INBOX), poll=self.poll, changed=self._changed)

    def wait(self, deadline: float | None = None, at_most: float | None = None) -> bool:
        """Wait for a change, as `Watch.wait`; False at the deadline."""
        return self._watch is not None and self._watch.wait(deadline, at_most)

    def wake(self) -> None:
        """End the wait that goes on, or the next one; for other threads."""
        self._changed.set()

    def close(self) -> None:
        """Stop watching, and close the mailbox."""
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._box is not None:
            self._box.close()
            self._box = None


def _inbox_of(box: Mailbox) -> tuple[int, int]:
    """Which directory its inbox is."""
    info = box.disk.fstat(box.folder(INBOX))
    return info.st_dev, info.st_ino


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
