"""What `archive` prints."""

from __future__ import annotations

from agentmail.core.errors import worst_of

CHANGES = True


def lines(outcome: Archived) -> Iterator[str]:
    """A line a message that is in the archive, then what the upkeep removed."""
    messages = outcome["messages"]
    if len(messages) > 1:
        from agentmail.cli.several import done

        yield from done(messages)
    elif messages and "error" not in messages[0]:
        yield f"{messages[0]['outcome'].replace('-', ' ')} {messages[0]['id']}"
    for path in outcome["pruned"]:
        yield f"pruned {outcome['identity']}/{path}"


def finish(context: Context, outcome: Archived) -> int:
    """Say what could not be archived."""
    return worst_of(context.say_failures(outcome["messages"]))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.archive import Archived
