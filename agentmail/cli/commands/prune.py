"""What `prune` prints."""

from __future__ import annotations

CHANGES = True


def lines(outcome: Pruned) -> Iterator[str]:
    """A line a file, and the sum."""
    verb = "would remove" if outcome["dry_run"] else "removed"
    for path in outcome["removed"]:
        yield f"{verb} {outcome['identity']}/{path}"
    count = len(outcome["removed"])
    yield f"{outcome['identity']}: {verb} {count} older than {outcome['days']} days"


def finish(context: Context, outcome: Pruned) -> int:
    """Say what could not be removed."""
    context.say_some([f"not removed: {failure}" for failure in outcome["failed"]])
    return 1 if outcome["failed"] else 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.prune import Pruned
