"""Adds our entries to the bytes of a host's settings, and removes them; everything else stays.

Bytes in, bytes out; the caller reads and writes files. `entries` is the "hooks" object of hooks.json with the
commands already expanded: event -> groups `{"matcher"?, "hooks": [{"type", "command", ...}]}`. An entry is ours if
`owns(command, args)`, see own_hooks.py.

`wire` completes. A missing entry is added in a group of its own, last in its event. One with an old path, time
limit or matcher is fixed where it is, and what its owner added to it stays. Where such an entry shares its group
with others' entries and the matcher is wrong, it moves to a group of its own. Of the same program with the same
arguments twice in one event the second is removed, since every notice would be duplicated. Ours in events that
`entries` does not name stay. Where nothing is missing, the very object that came in is returned.

`unwire` removes ours, and what is empty because of that. `unwire(wire(x)) == x` byte for byte where `wire` only
added, except that an empty file becomes "{}" and a line end.

Why groups without a matcher are not refused: the client takes them for "all", and most events are written so.
"""

from __future__ import annotations

from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.own_hooks import owns
from agentmail.hosts.hooks_file.pairing import in_the_way, pair
from agentmail.hosts.hooks_file.read_settings import Settings
from agentmail.hosts.settings_file.json_edit import Editor
from agentmail.hosts.settings_file.json_text import without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmail.hosts.hooks_file.pairing import Entries, Group, Pair
    from agentmail.hosts.hooks_file.read_settings import HookEntry
    from agentmail.hosts.settings_file.json_text import Node

    Owns = Callable[[str, list[str] | None], bool]

__all__ = ["Settings", "content", "owns", "parse", "snippet", "unwire", "wire", "wired"]


def parse(data: bytes) -> Settings:
    """Read settings. Raises Refused on all that is not strict JSON with well-formed hooks."""
    return Settings(data)


def wired(data: bytes, owns: Owns = owns) -> list[tuple[str, str | None, str]]:
    """Our entries that the settings hold: event, matcher, and the command with its arguments."""
    ours = _ours(parse(data), owns)
    return [(one.event, one.matcher, " ".join([one.command, *(one.args or ())])) for one in ours]


def snippet(entries: Entries) -> str:
    """The text to paste into the settings by hand; ASCII, so that every terminal can show it."""
    from json import dumps

    return dumps({"hooks": entries}, indent=2) + "\n"


def content(data: bytes) -> object:
    """What the settings say; None where that is nothing. An empty object or list in them says nothing."""
    document = parse(data).document
    return without_empty(document.load(document.root))


def unwire(data: bytes, owns: Owns = owns) -> bytes:
    """The settings without our entries. Raises Refused."""
    settings = parse(data)
    return _bytes(_without(settings, _ours(settings, owns)), data)


def wire(data: bytes, entries: Entries, owns: Owns = owns) -> bytes:
    """The settings with all of `entries`, each once. Raises Refused."""
    settings = parse(data)
    gone = [
        one
        for _, pairs, duplicates in _pairs(settings, entries, owns)
        for one in in_the_way(pairs, duplicates)
    ]
    cleared = _bytes(_without(settings, gone), data)
    if cleared is not data:
        settings = parse(cleared)
    return _bytes(_completed(settings, entries, owns), cleared)


def _ours(settings: Settings, owns: Owns) -> list[HookEntry]:
    return [one for one in settings.entries if owns(one.command, one.args)]


def _bytes(text: str | None, data: bytes) -> bytes:
    """The edited text as bytes, or the bytes as they were where nothing was edited."""
    if text is None:
        return data
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(
            "the path of our hooks is not UTF-8, which JSON cannot say",
            "nothing was changed",
            "install under another path",
        ) from None


def _without(settings: Settings, gone: list[HookEntry]) -> str | None:
    """The text without some commands, and without the group, event and "hooks" that held nothing else."""
    if settings.hooks is None or not gone:
        return None
    editor, dead_events = Editor(settings.document), []
    nodes = {one.node for one in gone}
    for event in settings.hooks.items:
        dead_groups = []
        for group in event.items:
            hooks = group.get("hooks")
            dead = [node for node in hooks.items if node in nodes] if hooks else []
            if hooks and dead and len(dead) == len(hooks.items):
                dead_groups.append(group)
            elif hooks and dead:
                editor.remove(hooks, dead)
        if _emptied(editor, event, dead_groups):
            dead_events.append(event)
    if _emptied(editor, settings.hooks, dead_events):
        editor.remove(settings.document.root, [settings.hooks])
    return editor.text()


def _emptied(editor: Editor, container: Node, dead: list[Node]) -> bool:
    """Remove the dead from a container; True where nothing else is in it and we made it, so that it goes itself."""
    if dead and len(dead) == len(container.items) and not editor.kept(container):
        return True
    if dead:
        editor.remove(container, dead)
    return False


def _pairs(settings: Settings, entries: Entries, owns: Owns) -> list[tuple[str, list[Pair], list[HookEntry]]]:
    ours = _ours(settings, owns)
    return [
        (event, *pair(groups, [one for one in ours if one.event == event]))
        for event, groups in entries.items()
    ]


def _completed(settings: Settings, entries: Entries, owns: Owns) -> str | None:
    """The text with each entry fixed or added. Entries in the way have been removed before."""
    editor = Editor(settings.document)
    events: list[tuple[str | None, object]] = []
    for event, pairs, _ in _pairs(settings, entries, owns):
        fixed: list[Node] = []
        for one in pairs:
            if one.found:
                _fix_hook(editor, one.found.node, one.wanted)
                if not one.has_matcher(one.found) and one.found.group not in fixed:
                    fixed.append(one.found.group)
                    _fix_matcher(editor, one.found.group, one.matcher)
        missing = _missing(entries[event], pairs)
        there = settings.hooks.get(event) if settings.hooks else None
        if there:
            editor.append(there, [(None, group) for group in missing])
        elif missing:
            events.append((event, missing))
    if settings.hooks:
        editor.append(settings.hooks, events)
    elif events:
        editor.append(settings.document.root, [("hooks", dict(events))])
    return editor.text()


def _missing(groups: Sequence[Group], pairs: list[Pair]) -> list[Group]:
    """The wanted groups with those of their hooks that are not there yet."""
    absent = [
        (group, [one.wanted for one in pairs if one.group is group and not one.found]) for group in groups
    ]
    return [{**group, "hooks": hooks} for group, hooks in absent if hooks]


def _fix_hook(editor: Editor, node: Node, wanted: Mapping[str, object]) -> None:
    editor.update(node, wanted)
    args = node.get("args")
    if args and "args" not in wanted:  # it would no longer be a shell line
        editor.remove(node, [args])


def _fix_matcher(editor: Editor, group: Node, matcher: str | None) -> None:
    member = group.get("matcher")
    if matcher is None and member:
        editor.remove(group, [member])
    elif member:
        editor.replace(member, matcher)
    else:
        editor.prepend(group, ("matcher", matcher))
