"""What `wire` prints; 1 where a wired hook does not work."""

from __future__ import annotations

from agentmail.cli.text import events_of
from agentmail.core.errors import AgentMailError, SomeFailed
from agentmail.core.names import printable
from agentmail.verbs.wire import wire

CHANGES = True
NOT_BELOW = (
    "only sessions started in that very directory read it: not those in its subdirectories, nor in git "
    "worktrees that have no copy of the file"
)


def run(context: Context, call: Call, host: str | None = None, **options: Unpack[WireOptions]) -> int:
    """Wire; where that is refused, print what to add by hand."""
    try:
        outcome = wire(call, host, **options)
    except AgentMailError as error:
        snippet = error.details.get("snippet")
        if snippet and not context.json:
            context.output.answer(str(snippet).splitlines())
        raise
    context.report("wire", outcome, lambda: lines(outcome))
    broken = [f"{one['hook']} at {one['event']}" for one in outcome["tried"] if not one["works"]]
    if broken:
        context.output.say(f"wired, but {', '.join(broken)} does not work; see `agentmail doctor`")
    return SomeFailed.exit_code if broken else 0


def lines(outcome: Wired) -> Iterator[str]:
    """What happened to which file, then what each hook said."""
    path = printable(outcome["path"])
    if outcome["diff"]:
        yield from (printable(line, keep="\n\t") for line in outcome["diff"].split("\n"))
        yield f"{path}: nothing was changed"
        return
    events = dict.fromkeys(one["event"] for one in outcome["entries"])
    yield f"{outcome['outcome'].replace('-', ' ')} {path}{events_of(events)}"
    for one in outcome["tried"]:
        yield f"tried {one['hook']} at {one['event']}: {_said(one, outcome['identity'])}"
    if outcome["level"] == "project":
        yield NOT_BELOW


def _said(one: Tried, identity: str) -> str:
    if not one["works"]:
        return f"DOES NOT WORK: {printable(one['said'])}"
    if one["hook"] == "mail-guard" and one["said"]:
        return "refuses to write into a mailbox"
    if one["hook"] == "mail-wake" and one["said"]:
        return f"watches {printable(one['said'])}"
    if one["said"]:
        return printable(one["said"].partition("\n")[0].partition(". Oldest")[0])
    if one["hook"] == "mail-check":
        return (
            f"works; no mail for {identity}" if identity else "works; this directory belongs to no identity"
        )
    return "works"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypedDict, Unpack

    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call
    from agentmail.verbs.wire import Tried, Wired

    class WireOptions(TypedDict, total=False):
        """The options of `wire`."""

        project: str | None
        wake: bool
        dry_run: bool
