"""What a list says of a message by its file alone: the same for every reader, whoever asks."""

from __future__ import annotations

from agentmail.message import odd_name

DAMAGED = "damaged"


def static_flags(entry: Entry) -> list[str]:
    """The flags that depend on the file alone."""
    message = entry.message
    return [*message.flags, *odd_name(message, entry.id), *([DAMAGED] if entry.damaged else [])]


def described(entry: Entry, path: str) -> dict[str, object]:
    """The values of a listed message before its receipts, in their order; its flags are the last."""
    message = entry.message
    return {
        "id": entry.id,
        "place": entry.place,
        "path": path,
        "from": message.get("from"),
        "to": message.get("to"),
        "cc": message.get("cc"),
        "workspaces": _workspaces(message.get("workspace")),
        "thread": entry.thread,
        "re": message.get("re"),
        "kind": message.kind,
        "subject": message.get("subject"),
        "priority": message.priority,
        "date": message.get("date"),
        "machine": message.get("machine"),
        "session": message.get("session"),
        "sender_kind": message.get("sender_kind"),
        "evidence": _evidence(message.get("evidence")),
        "flags": static_flags(entry),
    }


def _workspaces(line: str) -> dict[str, str]:
    if not line:
        return {}
    from agentmail.core.addresses import workspaces_of  # most messages have none

    return workspaces_of(line)


def _evidence(line: str) -> list[dict[str, str]]:
    if not line:
        return []
    from agentmail.ledger.evidence import parsed  # most messages have none

    return parsed(line)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.views.base import Entry
