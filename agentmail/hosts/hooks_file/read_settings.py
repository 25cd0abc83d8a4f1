"""Reads the hooks in a host's settings: each command, and its position."""

from __future__ import annotations

from agentmail.hosts.hooks_file.own_hooks import runs
from agentmail.hosts.settings_file.json_text import Document, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.settings_file.json_text import Node


class HookEntry:
    """One command in the settings: what it runs, and the nodes of it and of its group."""

    __slots__ = ("args", "command", "event", "group", "matcher", "node", "runs")

    def __init__(
        self, event: str, group: Node, matcher: str | None, node: Node, run: tuple[str, list[str] | None]
    ) -> None:
        self.event = event
        self.group = group
        self.matcher = matcher
        self.node = node
        self.command, self.args = run
        self.runs = runs(*run)


class Settings:
    """Valid settings: the document, its "hooks" if there are any, and all commands in them."""

    __slots__ = ("document", "entries", "hooks")

    def __init__(self, data: bytes) -> None:
        self.document = Document(data)
        self.entries: list[HookEntry] = []
        self.hooks = self.document.root.get("hooks")
        if self.hooks is None:
            return
        self.hooks.items = self.document.walk(None, self.hooks.start, self.hooks.value, 5).items
        self._want(self.hooks, "{", '"hooks"', "an object")
        for event in self.hooks.items:
            self._want(event, "[", f'"hooks" {event.key!a}', "a list")
            for group in event.items:
                self._read_group(str(event.key), group)

    def _want(self, node: Node, kind: str, name: str, shape: str) -> None:
        if self.document.kind(node) != kind:
            line = self.document.text.count("\n", 0, node.value) + 1
            refuse(f"{name[:80]} is not {shape} (line {line})")

    def _read_group(self, event: str, group: Node) -> None:
        self._want(group, "{", f"a group of {event!a}", "an object")
        hooks, matcher = group.get("hooks"), group.get("matcher")
        self._want(hooks or group, "[", f'"hooks" in a group of {event!a}', "a list")
        if matcher:
            self._want(matcher, '"', f'"matcher" in a group of {event!a}', "a string")
        for node in hooks.items if hooks else ():
            self._want(node, "{", f"a hook of {event!a}", "an object")
            command, args = self._value(node, "command"), self._value(node, "args")
            if isinstance(command, str):
                words = args if isinstance(args, list) and all(isinstance(arg, str) for arg in args) else None
                on = self.document.load(matcher) if matcher else None
                self.entries.append(
                    HookEntry(event, group, on if isinstance(on, str) else None, node, (command, words))
                )

    def _value(self, node: Node, key: str) -> object:
        member = node.get(key)
        return self.document.load(member) if member else None
