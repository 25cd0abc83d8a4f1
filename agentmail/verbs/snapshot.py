"""Snapshot: one document about a mailbox for a panel: counts, threads, messages, receipts, sessions."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.identities import open_mailbox
from agentmail.core.layout import ARCHIVE, INBOX, SENT
from agentmail.ledger.receipts import key_of
from agentmail.ledger.sessions import read_receipts
from agentmail.threads import Witnesses, entries, listing
from agentmail.verbs.receipts import sessions
from agentmail.verbs.thread import listed, summaries


def snapshot(bus: Bus, identity: str, origin: Origin | None, *, counts_only: bool = False) -> Snapshot:
    """The mailbox as it is now. `pending` counts what waits and this session was not shown; null without a session."""
    with open_mailbox(bus, identity) as box:
        found = listing(box)
        counts: Counts = {
            "waiting": sum(place == INBOX for place, _ in found),
            "archived": sum(place == ARCHIVE for place, _ in found),
            "sent": sum(place == SENT for place, _ in found),
            "pending": _pending(box, found, origin) if origin else None,
        }
        outcome: Snapshot = {
            "identity": identity,
            "at": times.timestamp(bus.clock.now_ns()),
            "counts": counts,
        }
        if not counts_only:
            witnesses = Witnesses(bus)
            everything = sorted(entries(box, found), key=lambda entry: entry.sort_key())
            outcome["threads"] = summaries(everything)
            outcome["messages"] = [listed(bus, box, entry, witnesses) for entry in everything]
            outcome["sessions"] = sessions(bus, identity)["sessions"]
    return outcome


def _pending(box: Mailbox, found: list[tuple[str, str]], origin: Origin) -> int:
    record = read_receipts(box, origin.machine, origin.session)
    shown = record.presented if record else {}
    return sum(place == INBOX and key_of(name) not in shown for place, name in found)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.outcomes import Counts, Snapshot
    from agentmail.verbs.presenting import Origin
