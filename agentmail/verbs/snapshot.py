"""Snapshot: one document about a mailbox for a panel: counts, threads, messages, receipts, sessions."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.layout import ARCHIVE, SENT, waiting
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import read_receipts
from agentmail.verbs.receipts import sessions
from agentmail.verbs.thread import listed, summaries
from agentmail.views.receipts import Witnesses
from agentmail.views.scan import Entry, entries, listing


def snapshot(bus: Bus, identity: str, origin: Origin | None, *, counts_only: bool = False) -> Snapshot:
    """The mailbox as it is now. `pending` counts what waits and this session was not shown; null without a session.

    Every header is in memory at once, as it is in the document; the texts are not.
    """
    with open_mailbox(bus, identity) as box:
        found = listing(box)
        waits = waiting(box)
        counts: Counts = {
            "waiting": len(waits),
            "archived": sum(place == ARCHIVE for place, _ in found),
            "sent": sum(place == SENT for place, _ in found),
            "pending": _pending(box, waits, origin) if origin else None,
        }
        outcome: Snapshot = {
            "identity": identity,
            "at": times.timestamp(bus.clock.now_ns()),
            "counts": counts,
        }
        if not counts_only:
            witnesses = Witnesses(bus)
            unreadable: list[str] = []
            headers = (entry.without_body() for entry in entries(box, found, unreadable))
            everything = sorted(headers, key=Entry.sort_key)
            here = sessions(bus, identity)
            outcome["threads"] = summaries(everything)
            outcome["messages"] = [listed(bus, box, entry, witnesses) for entry in everything]
            outcome["sessions"] = here["sessions"]
            outcome["unreadable"] = [*unreadable, *here["unreadable"], *witnesses.unreadable]
    return outcome


def _pending(box: Mailbox, waits: list[str], origin: Origin) -> int:
    record = read_receipts(box, origin.machine, origin.session)
    shown = record.presented if record else {}
    return sum(key_of(name) not in shown for name in waits)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.conversation_outcomes import Counts, Snapshot
    from agentmail.verbs.presenting import Origin
