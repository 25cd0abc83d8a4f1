"""Acknowledge: this session says that it was shown these messages. It does not mean read, agreed or done."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import AgentMailError, NotFound, Refused, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.layout import SENT, locate
from agentmail.core.message_files import message_named
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import ACKNOWLEDGED, key_of, message_line, unshown_line
from agentmail.ledger.sessions import LIMIT, SessionFile
from agentmail.verbs.acting import must_act_as
from agentmail.verbs.call import NO_MACHINE, Recorder, TypedDict


class AcknowledgedOne(TypedDict):
    """One message: `acknowledged`, `already-acknowledged`, or the word of the error and its text."""

    id: str
    outcome: str
    error: NotRequired[str]
    exit: NotRequired[int]


class Acknowledged(TypedDict):
    """`ack`: what this session acknowledged. It says nothing of doing; `warnings` name what it was not shown."""

    identity: str
    machine: str
    session: str
    messages: list[AcknowledgedOne]
    warnings: list[str]


def ack(call: SessionCall, identity: Me, ids: list[str]) -> Acknowledged:
    """Record that this session acknowledges messages. It does not mean read, agreed or done.

    Appends `acknowledged` for each message that was received, durably; again is no change. For a message that no
    record says this session was shown, the fact says that too, and verifies nothing.
    """
    with open_mailbox(call.bus, identity) as box:
        wanted = list(dict.fromkeys(message_named(box, id) for id in ids))
        recorder = _recorder(call)
        must_act_as(call, identity)
        messages = [_found(box, id) for id in wanted]
        there = [one["id"] for one in messages if "error" not in one]
        already, unshown = _record(box, recorder, there) if there else (set(), [])
    for one in messages:
        if one["id"] in already:
            one["outcome"] = "already-acknowledged"
    return {
        "identity": identity,
        "machine": recorder.machine,
        "session": recorder.session,
        "messages": messages,
        "warnings": [_unshown(identity, recorder.session, id) for id in unshown],
    }


def _unshown(identity: str, session: str, id: str) -> str:
    return (
        f"session {session} has no record that it was shown {id}, so its acknowledgement verifies nothing; "
        f"`agentmail read {identity} {id}` in that session, then acknowledge it again"
    )


def _recorder(call: Call) -> Recorder:
    if not call.session:
        raise Refused(
            "no session is known that could acknowledge",
            names.NOTHING_CHANGED,
            "name the session, such as `--session s1`, or set AGENT_MAIL_SESSION",
        )
    machine = call.machine()
    if not machine:
        raise TryAgain(
            f"{NO_MACHINE}: {call.no_machine}",
            names.NOTHING_CHANGED,
            "fix or remove that, or set AGENT_MAIL_MACHINE",
        )
    return Recorder(machine, call.session, call.workdir, call.host, call.host_version)


def _found(box: Mailbox, id: str) -> AcknowledgedOne:
    try:
        folder, _ = locate(box, id)
    except AgentMailError as error:
        from agentmail.core.odd_names import explained

        return _failed(id, explained(box, id, error))
    if folder == SENT:
        mine = NotFound(
            f"{id} was sent by {box.identity}, not received",
            names.NOTHING_CHANGED,
            "only its recipients acknowledge it",
        )
        return _failed(id, mine)
    return {"id": id, "outcome": "acknowledged"}


def _failed(id: str, error: AgentMailError) -> AcknowledgedOne:
    return {"id": id, "outcome": error.word, "error": str(error), "exit": error.exit_code}


def _record(box: Mailbox, recorder: Recorder, ids: list[str]) -> tuple[set[str], list[str]]:
    """Append the facts that are missing and make all of them durable.

    Returns the ids that were acknowledged already, and those that this session was not shown.
    """
    written = False
    try:
        with SessionFile(box, recorder.machine, recorder.session) as record:
            record.lock()
            known = record.receipts(LIMIT)
            now = times.timestamp(box.bus.clock.now_ns())
            already, unshown, fresh = _missing(known, ids, now)
            record.append(([] if known.sessions else [recorder.session_line(now)]) + fresh)
            written = True
            record.sync()
            return already, unshown
    except OSError as error:
        if written:
            raise Unconfirmed(
                f"{', '.join(ids)} acknowledged, but the disk did not confirm it: {reason(error)}",
                "it is on record and may not survive a power cut",
                "acknowledge again; it is safe to repeat",
            ) from error
        raise TryAgain(
            f"cannot write the record of session {recorder.session}: {reason(error)}",
            "nothing may have been acknowledged",
            "see `agentmail doctor`, then acknowledge again; it is safe to repeat",
        ) from error


def _missing(known: Receipts, ids: list[str], now: str) -> tuple[set[str], list[str], list[str]]:
    """The ids that were acknowledged already, those that the session was not shown, and the facts that are missing."""
    keys = {id: key_of(f"{id}.md") for id in ids}
    unshown = [id for id, key in keys.items() if key not in known.presented]
    already = {id for id, key in keys.items() if key in known.acknowledged}
    already.update(id for id in unshown if keys[id] in known.unshown)
    fresh = [
        unshown_line(key, now) if id in unshown else message_line(ACKNOWLEDGED, key, now)
        for id, key in keys.items()
        if id not in already
    ]
    return already, unshown, fresh


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.core.layout import Mailbox
    from agentmail.ledger.receipts import Receipts
    from agentmail.verbs.call import Call, Me, SessionCall
