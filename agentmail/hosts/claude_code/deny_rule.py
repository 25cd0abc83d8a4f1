"""The rule of Claude Code's permissions that refuses its file tools the bus: added to the bytes of its settings, removed.

It guards where a hook cannot: when the hook was stopped, and in what the client recognises as writing in a shell command.
"""

from __future__ import annotations

from agentmail.core.errors import Refused
from agentmail.hosts.settings_file.json_edit import Editor
from agentmail.hosts.settings_file.json_text import Document, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.settings_file.json_text import Node

PERMISSIONS, DENY = "permissions", "deny"
#: Characters that mean more than themselves in a rule's path.
SPECIAL = "*?[]{}()!\\"


def rule_for(bus: str) -> str:
    """The rule for a bus; two slashes begin an absolute path. Refused for a path that a rule cannot spell."""
    if any(mark in bus for mark in SPECIAL) or bus.encode("utf-8", "replace").decode() != bus:
        raise Refused(
            "the path of the bus has characters that a rule of Claude Code cannot spell",
            "nothing was changed",
            "leave out --strict, or move the bus",
        )
    return f"Edit(/{bus}/**)"


def has(data: bytes, rule: str) -> bool:
    """Is the rule there?"""
    return _found(Document(data), rule)[2] is not None


def add(data: bytes, rule: str) -> bytes:
    """The settings with the rule, last in its list; the very object where it is there."""
    document = Document(data)
    permissions, deny, found = _found(document, rule)
    if found is not None:
        return data
    editor = Editor(document)
    if permissions is None:
        editor.append(document.root, [(PERMISSIONS, {DENY: [rule]})])
    elif deny is None:
        editor.append(permissions, [(DENY, [rule])])
    else:
        editor.append(deny, [(None, rule)])
    return _text(editor, data)


def drop(data: bytes, rule: str) -> bytes:
    """The settings without the rule, and without what is empty because of that; the very object where it is not there."""
    document = Document(data)
    permissions, deny, found = _found(document, rule)
    if permissions is None or deny is None or found is None:
        return data
    editor = Editor(document)
    if len(deny.items) > 1 or editor.kept(deny):
        editor.remove(deny, [found])
    elif len(permissions.items) > 1 or editor.kept(permissions):
        editor.remove(permissions, [deny])
    else:
        editor.remove(document.root, [permissions])
    return _text(editor, data)


def _found(document: Document, rule: str) -> tuple[Node | None, Node | None, Node | None]:
    """The permissions, the list of what is denied, and the rule in it."""
    permissions = document.root.get(PERMISSIONS)
    if permissions is None:
        return None, None, None
    if document.kind(permissions) != "{":
        refuse('"permissions" is not an object')
    permissions.items = document.walk(None, permissions.start, permissions.value, 2).items
    deny = permissions.get(DENY)
    if deny is None:
        return permissions, None, None
    if document.kind(deny) != "[":
        refuse('"deny" is not a list')
    return permissions, deny, next((one for one in deny.items if document.load(one) == rule), None)


def _text(editor: Editor, data: bytes) -> bytes:
    text = editor.text()
    return data if text is None else text.encode()
