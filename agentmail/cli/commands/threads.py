"""What `threads` prints."""

from __future__ import annotations

from agentmail.cli.context import DATA_RULE
from agentmail.core.names import printable


def lines(outcome: Threads) -> Iterator[str]:
    """A line a thread."""
    for one in outcome["threads"]:
        waiting = f", {one['waiting']} waiting" if one["waiting"] else ""
        parties = printable(", ".join(one["parties"]))
        yield f"{printable(one['thread'])}  {one['messages']}{waiting}  {parties}  {printable(one['subject']) or '(no subject)'}"
    yield DATA_RULE if outcome["threads"] else f"{outcome['identity']}: no threads"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.threads import Threads
