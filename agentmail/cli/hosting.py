"""The commands that put our hooks into a host's settings and take them out, and their outcomes as text."""

from __future__ import annotations

import sys

from agentmail.cli.grammar import misused
from agentmail.core.errors import AgentMailError, SomeFailed
from agentmail.core.names import printable


def wire(
    mouth: Mouth, words: list[str], *, project: str | None = None, wake: bool = False, dry_run: bool = False
) -> int:
    """Wire; 1 where what is wired does not work."""
    from agentmail.verbs.wire import wire as verb

    if words:
        raise misused("wire")
    try:
        outcome = verb(
            mouth.bus, mouth.environment, sys.executable or "", project=project, wake=wake, dry_run=dry_run
        )
    except AgentMailError as error:
        snippet = error.details.get("snippet")
        if snippet and not mouth.json:
            mouth.output.answer(str(snippet).splitlines())
        raise
    mouth.report("wire", outcome, lambda: wired(outcome))
    broken = [f"{one['hook']} at {one['event']}" for one in outcome["tried"] if not one["works"]]
    if broken:
        mouth.output.say(f"wired, but {', '.join(broken)} does not work; see `agentmail doctor`")
    return SomeFailed.exit_code if broken else 0


def unwire(mouth: Mouth, words: list[str], *, project: str | None = None) -> int:
    """Unwire."""
    from agentmail.verbs.unwire import unwire as verb

    if words:
        raise misused("unwire")
    outcome = verb(mouth.bus, mouth.environment, project=project)
    mouth.report("unwire", outcome, lambda: unwired(outcome))
    return 0


NOT_BELOW = (
    "only sessions started in that very directory read it: not those in its subdirectories, nor in git "
    "worktrees that have no copy of the file"
)


def wired(outcome: Wired) -> Iterator[str]:
    """What happened to which file, then what each hook said."""
    path = printable(outcome["path"])
    if outcome["diff"]:
        yield from (printable(line, keep="\n\t") for line in outcome["diff"].split("\n"))
        yield f"{path}: nothing was changed"
        return
    events = dict.fromkeys(one["event"] for one in outcome["entries"])
    yield f"{outcome['outcome'].replace('-', ' ')} {path}{_listed(events)}"
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
        return f"works; no mail for {identity}" if identity else "works; this directory is nobody's"
    return "works"


def unwired(outcome: Unwired) -> Iterator[str]:
    """What happened to which file."""
    events = dict.fromkeys(one["event"] for one in outcome["entries"])
    word = (
        "is as it was before wire"
        if outcome["outcome"] == "restored"
        else outcome["outcome"].replace("-", " ")
    )
    path = printable(outcome["path"])
    yield f"{path} {word}" if outcome["outcome"] == "restored" else f"{word} {path}{_listed(events)}"
    if outcome["link"]:
        yield f"removed {printable(outcome['link'])}"


def _listed(events: Iterable[str]) -> str:
    listed = ", ".join(printable(event) for event in events)
    return f" ({listed})" if listed else ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.cli.mouth import Mouth
    from agentmail.verbs.outcomes import Tried, Unwired, Wired
