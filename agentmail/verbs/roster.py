"""Roster: who is registered, where they work and for what; rows without mailbox and mailboxes without row."""

from __future__ import annotations

from agentmail.core.layout import REGISTRY
from agentmail.core.roster import mailboxes
from agentmail.core.roster import roster as known_roster


def roster(bus: Bus) -> Roster:
    """The registry in the file's order, then the mailboxes that have no row."""
    known = known_roster(bus)
    boxes = mailboxes(bus)
    rows: list[RosterRow] = [
        {
            "id": row.identity,
            "workdir": row.workdir,
            "responsibility": row.responsibility,
            "row": True,
            "mailbox": row.identity in boxes,
        }
        for row in known.rows.values()
    ]
    rows += [
        {"id": box, "workdir": "", "responsibility": "", "row": False, "mailbox": True}
        for box in boxes
        if box not in known.rows
    ]
    return {"path": bus.path(REGISTRY), "identities": rows, "problem": known.problem}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Roster, RosterRow
