"""What `unwire` prints."""

from __future__ import annotations

from agentmail.cli.text import events_of
from agentmail.core.names import printable

CHANGES = True


def lines(outcome: Unwired) -> Iterator[str]:
    """What happened to which file."""
    events = dict.fromkeys(one["event"] for one in outcome["entries"])
    word = (
        "is as it was before wire"
        if outcome["outcome"] == "restored"
        else outcome["outcome"].replace("-", " ")
    )
    path = printable(outcome["path"])
    yield f"{path} {word}" if outcome["outcome"] == "restored" else f"{word} {path}{events_of(events)}"
    if outcome["link"]:
        yield f"removed {printable(outcome['link'])}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.unwire import Unwired
