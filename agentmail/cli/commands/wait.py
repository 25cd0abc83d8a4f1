"""What `wait` prints; 124 when time is up."""

from __future__ import annotations

from agentmail.cli.commands.check import summary
from agentmail.cli.context import DATA_RULE
from agentmail.cli.text import fenced
from agentmail.core.names import printable
from agentmail.verbs.wait import open_wait

TIME_IS_UP = 124
ENDLESS = "nothing new yet; waiting without a time limit (--timeout 60 waits 60 seconds)"


def run(context: Context, call: Call, identity: str, **options: Unpack[WaitOptions]) -> int:
    """Wait, print, then record that it was shown; the session's record is locked from the look to the end."""
    with open_wait(call, identity, **options) as waiting:
        if waiting.how == "polling" and not options.get("poll"):
            context.output.say("note: no notification is to be had here; looking again every half second")
        waiting.announce = lambda: context.output.say(f"note: {identity}: {ENDLESS}")
        outcome = waiting.outcome()
        context.answer("wait", outcome, lambda: lines(outcome))
        if context.seen(waiting.recorder) is not None:
            waiting.record_shown()
    return 0 if outcome["messages"] else TIME_IS_UP


def lines(outcome: Waited) -> Iterator[str]:
    """A line a message that is new to the session, then its text where that was asked for."""
    identity, count = outcome["identity"], len(outcome["messages"])
    path = printable(outcome["path"])
    if not count:
        yield f"{identity}: nothing new ({path})"
        return
    new = "new to this session" if outcome["session"] else "waiting"
    yield f"{identity}: {count} {new}, oldest first ({path})"
    texts = {one["id"]: one for one in outcome.get("texts", [])}
    for message in outcome["messages"]:
        yield summary(message)
        if message["id"] in texts:
            whole = texts[message["id"]]
            yield from fenced(whole["header"], whole["encoding"], whole["body"])
    yield f"{DATA_RULE} Read one: agentmail read {identity} <id>"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypedDict, Unpack

    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call
    from agentmail.verbs.wait import Waited

    class WaitOptions(TypedDict, total=False):
        """The options of `open_wait`."""

        timeout: float | None
        poll: bool
        body: bool
