"""Finds, for each entry that we want in the settings, the entry that is already there for it."""

from __future__ import annotations

from agentmail.hosts.hooks_file.own_hooks import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmail.hosts.hooks_file.read_settings import HookEntry

    Group = Mapping[str, object]
    Entries = Mapping[str, Sequence[Group]]


class Pair:
    """One wanted command, the wanted group it belongs to, and the entry that is there for it, if there is one."""

    __slots__ = ("found", "group", "run", "runs", "wanted")

    def __init__(self, group: Group, wanted: Mapping[str, object]) -> None:
        self.group = group
        self.wanted = wanted
        self.run = run_of(wanted)
        self.runs = runs(*self.run)
        self.found: HookEntry | None = None

    @property
    def matcher(self) -> str | None:
        """The wanted matcher."""
        matcher = self.group.get("matcher")
        return matcher if isinstance(matcher, str) else None

    def has_matcher(self, entry: HookEntry) -> bool:
        """Does this entry run on the wanted occasions?"""
        return same_matcher(entry.matcher, self.matcher)

    def distance(self, entry: HookEntry) -> int:
        """How much an entry differs from the wanted one: 0 is equal, 5 is another program."""
        same = self.has_matcher(entry)
        if (entry.command, entry.args) == self.run:
            return 0 if same else 2
        if entry.runs == self.runs:
            return 1 if same else 3
        return 4 if entry.runs[0] == self.runs[0] else 5


def pair(groups: Sequence[Group], entries: list[HookEntry]) -> tuple[list[Pair], list[HookEntry]]:
    """The wanted commands of one event, each with the entry for it; and the entries that repeat one of them."""
    pairs = [Pair(group, hook) for group in groups for hook in hooks_of(group)]
    free = list(entries)
    for distance in range(5):
        for wanted in (one for one in pairs if one.found is None):
            wanted.found = next((one for one in free if wanted.distance(one) == distance), None)
            free = [one for one in free if one is not wanted.found]
    return pairs, [one for one in free if any(one.runs == other.runs for other in pairs)]


def in_the_way(pairs: list[Pair], duplicates: list[HookEntry]) -> list[HookEntry]:
    """Entries to remove first: duplicates, and those that share a group whose matcher is wrong for them."""
    gone = list(duplicates)
    for one in pairs:
        if one.found is None or one.has_matcher(one.found):
            continue
        fitting = {other.found.node for other in pairs if other.found and other.group is one.group}
        fitting.update(duplicate.node for duplicate in duplicates)
        hooks = one.found.group.get("hooks")
        if hooks and not fitting.issuperset(hooks.items):
            gone.append(one.found)
    return gone


def run_of(hook: Mapping[str, object]) -> tuple[str, list[str] | None]:
    """The command and the arguments of a wanted hook."""
    args = hook.get("args")
    return str(hook.get("command", "")), [str(arg) for arg in args] if isinstance(args, list) else None


def hooks_of(group: Group) -> Sequence[Mapping[str, object]]:
    """The hooks of a wanted group."""
    hooks = group["hooks"]
    return hooks if isinstance(hooks, list) else []


def same_matcher(one: str | None, other: str | None) -> bool:
    """Do two matchers match the same? Order in a list of names does not matter."""
    return _names(one) == _names(other)


def _names(matcher: str | None) -> frozenset[str]:
    if not matcher or matcher == "*":
        return frozenset()
    if matcher.replace("_", "").replace("|", "").replace(",", "").replace(" ", "").isalnum():
        return frozenset(name.strip() for name in matcher.replace(",", "|").split("|") if name.strip())
    return frozenset([matcher])
