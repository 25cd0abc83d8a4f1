"""What `wire` prints; 1 where a wired hook does not work, or where some of several hosts were not wired."""

from __future__ import annotations

from agentmail.cli.text import events_of
from agentmail.core.errors import AgentMailError, SomeFailed, worst_of
from agentmail.core.names import printable
from agentmail.verbs.wire import wire

CHANGES = True
NOT_BELOW = (
    "only sessions started in that very directory read it: not those in its subdirectories, nor in git "
    "worktrees that have no copy of the file"
)


def run(context: Context, call: Call, hosts: list[str] | None = None, **options: Unpack[WireOptions]) -> int:
    """Wire; where that is refused, print what to add by hand."""
    try:
        outcome = wire(call, hosts, **options)
    except AgentMailError as error:
        snippet = error.details.get("snippet")
        if snippet and not context.json:
            context.output.answer(str(snippet).splitlines())
        raise
    context.report("wire", outcome, lambda: lines(outcome))
    for host in outcome["hosts"]:
        if "error" in host:
            context.output.say(f"{host['title']}: {host['error']}")
    broken = [
        f"{one['hook']} at {one['event']}{_of(host, outcome)}"
        for host in outcome["hosts"]
        for one in host["tried"]
        if not one["works"]
    ]
    if broken:
        context.output.say(f"wired, but {', '.join(broken)} does not work; see `agentmail doctor`")
    return SomeFailed.exit_code if broken else worst_of([one.get("exit", 0) for one in outcome["hosts"]])


def _of(host: WiredHost, outcome: Wired) -> str:
    return f" of {host['title']}" if len(outcome["hosts"]) > 1 else ""


def lines(outcome: Wired) -> Iterator[str]:
    """For each host: what happened to which file, what else was done, then what each hook said."""
    for host in outcome["hosts"]:
        lead = f"{host['title']}: " if len(outcome["hosts"]) > 1 else ""
        yield from _of_host(host, lead, outcome["identity"])


def _of_host(host: WiredHost, lead: str, identity: str) -> Iterator[str]:
    path = printable(host["path"])
    if "error" in host:
        yield f"{lead}not wired"
        yield from host.get("snippet", "").splitlines()
        return
    if host["diff"]:
        yield from (printable(line, keep="\n\t") for line in host["diff"].split("\n"))
        yield from (f"{lead}{printable(one)}" for one in host["also"])
        yield f"{lead}{path}: nothing was changed"
        return
    events = dict.fromkeys(one["event"] for one in host["entries"])
    yield f"{lead}{host['outcome'].replace('-', ' ')} {path}{events_of(events)}"
    yield from (f"{lead}{printable(one)}" for one in host["also"])
    for one in host["tried"]:
        yield f"{lead}tried {one['hook']} at {one['event']}: {_said(one, identity)}"
    if host["level"] == "project":
        yield f"{lead}{NOT_BELOW}"


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
    from agentmail.verbs.wire import Tried, Wired, WiredHost

    class WireOptions(TypedDict, total=False):
        """The options of `wire`."""

        project: str | None
        wake: bool
        strict: bool
        trust: bool
        mcp: bool
        dry_run: bool
