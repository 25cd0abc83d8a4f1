"""The verbs, one line each: what exists, where it is, in the order in which help lists them.

To add one: a file here with the verb and its outcome, a file of the same name in cli/commands with its rendering,
and a line below. Options, usage, help, completion and schemas are read from the verb's own signature.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Name -> module and function, loaded when it is called.
VERBS = {
    "register": "register:register",
    "unregister": "unregister:unregister",
    "rename": "rename:rename",
    "send": "send:send",
    "check": "check:check",
    "read": "read:read",
    "reply": "reply:reply",
    "archive": "archive:archive",
    "unarchive": "unarchive:unarchive",
    "prune": "prune:prune",
    "whoami": "whoami:whoami",
    "roster": "roster:roster",
    "delegate": "delegate:delegate",
    "wait": "wait:wait",
    "ack": "ack:ack",
    "thread": "thread:thread",
    "threads": "threads:threads",
    "receipts": "receipts:receipts",
    "sessions": "sessions:sessions",
    "snapshot": "snapshot:snapshot",
    "search": "search:search",
    "git": "git:git",
    "wire": "wire:wire",
    "unwire": "unwire:unwire",
    "doctor": "doctor:doctor",
    "demo": "demo:demo",
}


def load_verb(name: str) -> Callable[..., Any]:
    """The function of a verb."""
    module, _, function = VERBS[name].partition(":")
    path = f"agentmail.verbs.{module}"
    found: Callable[..., Any] = getattr(__import__(path, fromlist=[function]), function)
    return found
