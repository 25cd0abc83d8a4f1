"""Roster: the registered identities; also rows without a mailbox and mailboxes without a row."""

from __future__ import annotations

from agentmail.core.layout import REGISTRY
from agentmail.core.roster import KnownIdentities, mailboxes
from agentmail.verbs.call import TypedDict


class RosterRow(TypedDict):
    """One identity; `row` and `mailbox` say which of the two it has."""

    id: str
    workdir: str
    responsibility: str
    kind: str
    row: bool
    mailbox: bool


class RosterOutcome(TypedDict):
    """`roster`: the registry, with mailboxes that have no row; `problem` says why the registry was not read."""

    path: str
    identities: list[RosterRow]
    problem: str


def roster(call: Call) -> RosterOutcome:
    """Print the registered identities, with their directories and responsibilities."""
    bus = call.bus
    known = KnownIdentities(bus)
    boxes = mailboxes(bus)
    rows: list[RosterRow] = [
        {
            "id": row.identity,
            "workdir": row.workdir,
            "responsibility": row.responsibility,
            "kind": row.kind,
            "row": True,
            "mailbox": row.identity in boxes,
        }
        for row in known.rows.values()
    ]
    rows += [
        {"id": box, "workdir": "", "responsibility": "", "kind": "", "row": False, "mailbox": True}
        for box in boxes
        if box not in known.rows
    ]
    return {"path": bus.path(REGISTRY), "identities": rows, "problem": known.problem}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
