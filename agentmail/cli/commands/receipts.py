"""What `receipts` prints."""

from __future__ import annotations

from agentmail.cli.text import addressed, missed, receipt, word
from agentmail.core.names import printable


def lines(outcome: ReceiptList) -> Iterator[str]:
    """Each message with what is known of it, or that there is no evidence."""
    for message in outcome["messages"]:
        sender = word(message["from"]) if message["from"] else "?"
        direction = (
            f"to {addressed(message['to'], message['cc'])}"
            if message["place"] == "sent"
            else f"from {sender}"
        )
        yield f"{printable(message['id'])}  {message['place']}  {direction}"
        yield from (f"  {receipt(one)}" for one in message["receipts"])
        yield from (f"  {missed(one, outcome['identity'], message['id'])}" for one in message["missed"])
        if message["answered"]:
            yield f"  answered by {printable(', '.join(message['answered']))}"
        for identity in message["unknown"]:
            yield f"  records of {identity} could not be read"
        if not message["receipts"] and not message["answered"] and not message["unknown"]:
            yield "  no evidence"
    if not outcome["messages"]:
        yield f"{outcome['identity']}: nothing waits and nothing was sent"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.receipts import ReceiptList
