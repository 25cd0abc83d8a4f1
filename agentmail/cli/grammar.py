"""The grammar of the command line: which commands there are, what words they take, where they live."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

USAGE = {
    "register": "<id> <workdir> <responsibility...>",
    "send": "<from> <to> <slug> [subject...]",
    "check": "[<id>]",
    "read": "[<id>] <message-id>",
    "reply": "[<id>] <message-id or thread> [subject...]",
    "archive": "[<id>] <message-id or thread>...",
    "unarchive": "[<id>] <message-id>",
    "prune": "<id> [days]",
    "roster": "",
    "delegate": "<from> <to> [subject...]",
    "wait": "[<id>]",
    "ack": "[<id>] <message-id>...",
    "thread": "[<id>] <thread or message-id>",
    "threads": "[<id>]",
    "receipts": "[<id>] [<message-id>]",
    "sessions": "[<id>]",
    "snapshot": "[<id>]",
    "search": "<id> <words...>",
    "git": "",
    "wire": "",
    "unwire": "",
    "doctor": "",
    "demo": "",
}


def misused(command: str) -> Refused:
    """The error of a call whose words do not fit the command."""
    usage = f"agentmail {command} {USAGE[command]}".strip()
    return Refused(f"{command} takes other words", names.NOTHING_CHANGED, f"usage: {usage}")


def split_me(command: str, words: list[str], least: int = 1) -> tuple[str | None, list[str]]:
    """The identity in front, where there is one: no identity begins like a message id."""
    if len(words) > least and not names.is_stamped(words[0]):
        return words[0], words[1:]
    if len(words) < least:
        raise misused(command)
    return None, words


#: The commands that look at threads, sessions and receipts, in a module of their own.
CONVERSATION = frozenset(
    {"delegate", "wait", "ack", "thread", "threads", "receipts", "sessions", "snapshot", "search", "git"}
)


#: The commands that change the settings of hosts.
HOSTING = frozenset({"wire", "unwire"})
