"""Record that a session was shown messages: after they are printed, so that a crash repeats and never hides."""

from __future__ import annotations

from agentmail.core import times
from agentmail.core.errors import Unconfirmed
from agentmail.core.fs import reason
from agentmail.core.roster import open_mailbox
from agentmail.ledger.receipts import PRESENTED, key_of, message_line
from agentmail.ledger.sessions import LIMIT, SessionFile


def present(bus: Bus, identity: str, recorder: Recorder | None, files: list[str]) -> None:
    """After printing: append `presented` for the messages (by file name) that this session has none for.

    Nothing is done without a recorder; Unconfirmed where the fact cannot be written.
    """
    if recorder is None or not files:
        return
    keys = [key_of(name) for name in files]
    try:
        with (
            open_mailbox(bus, identity) as box,
            SessionFile(box, recorder.machine, recorder.session) as record,
        ):
            record.lock()
            append_presented(record, recorder, keys, bus.clock.now_ns())
    except OSError as error:
        raise unrecorded(recorder, error) from error


def unrecorded(recorder: Recorder, error: OSError) -> Unconfirmed:
    """The error where messages were shown and the record of it could not be written."""
    return Unconfirmed(
        f"the messages were shown, but session {recorder.session} could not record it: {reason(error)}",
        "they will be shown to it as new again",
        "see `agentmail doctor`",
    )


def append_presented(record: SessionFile, recorder: Recorder, keys: list[str], now_ns: int) -> None:
    """Append the missing facts in one write; first the session's own, where its record has none."""
    now = times.timestamp(now_ns)
    known = record.receipts(LIMIT)
    lines = [message_line(PRESENTED, key, now) for key in dict.fromkeys(keys) if key not in known.presented]
    record.append(([] if known.sessions else [recorder.session_line(now)]) + lines)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.call import Recorder
