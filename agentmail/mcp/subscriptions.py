"""Subscriptions: a client is told when what waits in an inbox changes."""

from __future__ import annotations

import threading

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.layout import waiting_unordered
from agentmail.mcp.resources import INBOX, parts_of
from agentmail.mcp.wire import Closed
from agentmail.verbs.followed import FollowedInbox

#: How many inboxes one client may watch.
MOST = 32
#: Seconds until the next look at a mailbox that cannot be looked at.
AGAIN = 10.0


class Subscriptions:
    """The watched inboxes of one connection, each with a thread."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._watched: dict[str, _Watched] = {}

    def add(self, call: Call, uri: str) -> None:
        """Watch an inbox. A message never changes, so there is nothing to watch."""
        identity, name = parts_of(uri)
        if name != INBOX or uri in self._watched:
            return
        if len(self._watched) >= MOST:
            raise Refused(f"{MOST} inboxes are watched", names.NOTHING_CHANGED, "unsubscribe one")
        watched = _Watched(self._wire, uri, FollowedInbox(call.bus, identity))
        watched.start()
        self._watched[uri] = watched

    def remove(self, uri: object) -> None:
        """Watch it no longer."""
        found = self._watched.pop(uri, None) if isinstance(uri, str) else None
        if found is not None:
            found.stop()

    def end(self) -> None:
        """Watch none."""
        for uri in list(self._watched):
            self.remove(uri)


class _Watched:
    """One inbox, looked at when it changes."""

    def __init__(self, wire: Wire, uri: str, inbox: FollowedInbox) -> None:
        self._wire = wire
        self._uri = uri
        self._inbox = inbox
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Look once, so that an error is the answer to the client; then watch."""
        try:
            self._known = frozenset(waiting_unordered(self._inbox.mailbox()))
        except BaseException:
            self._inbox.close()
            raise
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._ended = True
        self._inbox.wake()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._ended:
                self._inbox.wait(at_most=AGAIN)
                if not self._ended:
                    self._look()
        except Closed:
            pass
        finally:
            self._inbox.close()

    def _look(self) -> None:
        try:
            found = frozenset(waiting_unordered(self._inbox.mailbox()))
        except (AgentMailError, OSError):
            return  # it is looked at again; whoever reads the inbox meanwhile gets the error
        if found != self._known:
            self._known = found
            self._wire.notify("notifications/resources/updated", {"uri": self._uri})


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.mcp.wire import Wire
    from agentmail.verbs.call import Call
