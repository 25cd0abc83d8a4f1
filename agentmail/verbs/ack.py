"""Acknowledge: this session says that it was shown these messages. It says nothing of reading, agreeing or doing."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import AgentMailError, TryAgain
from agentmail.core.fs import reason
from agentmail.core.identities import open_mailbox
from agentmail.core.mailbox import locate
from agentmail.ledger.receipts import ACKNOWLEDGED, key_of, message_line
from agentmail.ledger.sessions import SessionFile


def ack(bus: Bus, identity: str, ids: list[str], origin: Origin) -> Acknowledged:
    """Append `acknowledged` for each message of the mailbox, durably; again is no change."""
    wanted = list(dict.fromkeys(names.message_id(id) for id in ids))
    with open_mailbox(bus, identity) as box:
        messages = [_found(box, id) for id in wanted]
        there = [one["id"] for one in messages if "error" not in one]
        if there:
            try:
                with SessionFile(box, origin.machine, origin.session) as record:
                    record.lock()
                    already = _append(record, origin, there, bus.clock.now_ns())
            except OSError as error:
                raise TryAgain(
                    f"cannot write the record of session {origin.session}: {reason(error)}",
                    "nothing may have been acknowledged",
                    "try again; it is safe to repeat",
                ) from error
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
        locate(box, id)
    except AgentMailError as error:
        return {"id": id, "outcome": error.word, "error": str(error), "exit": error.exit_code}
    return {"id": id, "outcome": "acknowledged"}


def _append(record: SessionFile, origin: Origin, ids: list[str], now_ns: int) -> set[str]:
    now = times.timestamp(now_ns)
    known = record.receipts()
    already = {id for id in ids if key_of(f"{id}.md") in known.acknowledged}
    lines = [message_line(ACKNOWLEDGED, key_of(f"{id}.md"), now) for id in ids if id not in already]
    record.append(([] if known.sessions else [origin.line(now)]) + lines, durable=True)
    return already


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus, Mailbox
    from agentmail.verbs.outcomes import Acknowledged, AcknowledgedOne
    from agentmail.verbs.presenting import Origin
