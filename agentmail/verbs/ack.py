"""Acknowledge: this session says that it was shown these messages. It says nothing of reading, agreeing or doing."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import AgentMailError, NotFound, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import SENT, locate
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import ACKNOWLEDGED, key_of, message_line
from agentmail.ledger.sessions import LIMIT, SessionFile


def ack(bus: Bus, identity: str, ids: list[str], origin: Origin) -> Acknowledged:
    """Append `acknowledged` for each message that was received, durably; again is no change."""
    wanted = list(dict.fromkeys(names.message_id(id) for id in ids))
    with open_mailbox(bus, identity) as box:
        messages = [_found(box, id) for id in wanted]
        there = [one["id"] for one in messages if "error" not in one]
        already = _record(box, origin, there) if there else set()
    for one in messages:
        if one["id"] in already:
            one["outcome"] = "already-acknowledged"
    return {
        "identity": identity,
        "machine": origin.machine,
        "session": origin.session,
        "messages": messages,
    }


def _found(box: Mailbox, id: str) -> AcknowledgedOne:
    try:
        folder, _ = locate(box, id)
    except AgentMailError as error:
        return {"id": id, "outcome": error.word, "error": str(error), "exit": error.exit_code}
    if folder == SENT:
        mine = NotFound(
            f"{id} was sent by {box.identity}, not received",
            names.NOTHING_CHANGED,
            "only its recipients acknowledge it",
        )
        return {"id": id, "outcome": mine.word, "error": str(mine), "exit": mine.exit_code}
    return {"id": id, "outcome": "acknowledged"}


def _record(box: Mailbox, origin: Origin, ids: list[str]) -> set[str]:
    """Append what is missing and make all of it durable; which were acknowledged already."""
    written = False
    try:
        with SessionFile(box, origin.machine, origin.session) as record:
            record.lock()
            known = record.receipts(LIMIT)
            now = times.timestamp(box.bus.clock.now_ns())
            already = {id for id in ids if key_of(f"{id}.md") in known.acknowledged}
            fresh = [message_line(ACKNOWLEDGED, key_of(f"{id}.md"), now) for id in ids if id not in already]
            record.append(([] if known.sessions else [origin.line(now)]) + fresh)
            written = True
            record.sync()
            return already
    except OSError as error:
        if written:
            raise Unconfirmed(
                f"{', '.join(ids)} acknowledged, but the disk did not confirm it: {reason(error)}",
                "it is on record and may not survive a power cut",
                "acknowledge again; it is safe to repeat",
            ) from error
        raise TryAgain(
            f"cannot write the record of session {origin.session}: {reason(error)}",
            "nothing may have been acknowledged",
            "try again; it is safe to repeat",
        ) from error


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.conversation_outcomes import Acknowledged, AcknowledgedOne
    from agentmail.verbs.presenting import Origin
