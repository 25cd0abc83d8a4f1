"""What `unwire` prints."""

from __future__ import annotations

from agentmail.cli.text import events_of
from agentmail.core.errors import worst_of
from agentmail.core.names import printable
from agentmail.verbs.unwire import unwire

CHANGES = True


def run(context: Context, call: Call, hosts: list[str] | None = None, *, project: str | None = None) -> int:
    """Unwire."""
    outcome = unwire(call, hosts, project=project)
    context.report("unwire", outcome, lambda: lines(outcome))
    for host in outcome["hosts"]:
        if "error" in host:
            context.output.say(f"{host['title']}: {host['error']}")
    return worst_of([one.get("exit", 0) for one in outcome["hosts"]])


def lines(outcome: Unwired) -> Iterator[str]:
    """For each host: what happened to which file."""
    for host in outcome["hosts"]:
        lead = f"{host['title']}: " if len(outcome["hosts"]) > 1 else ""
        yield from (f"{lead}{line}" for line in _of_host(host))


def _of_host(host: UnwiredHost) -> Iterator[str]:
    path = printable(host["path"])
    events = dict.fromkeys(one["event"] for one in host["entries"])
    if "error" in host:
        yield "not unwired"
        return
    if host["outcome"] == "restored":
        yield f"{path} is as it was before wire"
    else:
        yield f"{host['outcome'].replace('-', ' ')} {path}{events_of(events)}"
    yield from map(printable, host["also"])
    for kept in host["kept"]:
        yield f"kept {printable(kept)}: it was changed since it was wired; remove it yourself"
    if host["link"]:
        yield f"removed {printable(host['link'])}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call
    from agentmail.verbs.unwire import Unwired, UnwiredHost
