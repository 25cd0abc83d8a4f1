"""The text of a message that search looks in."""

from __future__ import annotations


def searched(entry: Entry) -> str:
    """Id, header values and body, casefolded, each on lines of its own."""
    message = entry.message
    body = message.body.decode("utf-8", "replace")
    return "\n".join([entry.id, *message.values.values(), body]).casefold()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.views.base import Entry
