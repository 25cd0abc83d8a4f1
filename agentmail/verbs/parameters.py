"""What each parameter of the verbs is called on a command line, and what it means: one line each, for help and schemas.

`name` holds for every verb, `verb.name` for one alone. Loaded only where something is to be explained.
"""

from __future__ import annotations

#: How a word or an option's value is shown.
METAVARS = {
    "identity": "id",
    "sender": "from",
    "id": "message-id",
    "ids": "message-id",
    "archive.ids": "message-id or thread",
    "reply.id": "message-id or thread",
    "unarchive.id": "message-id or thread",
    "thread.thread": "thread or message-id",
    "rename.name": "new-id",
    "session": "S",
    "as_": "ID",
    "thread": "T",
    "re": "ID",
    "retry": "ID",
    "limit": "N",
    "priority": "PRIORITY",
    "kind": "KIND",
    "cc": "IDS",
    "evidence": "JSON",
    "sender_kind": "KIND",
    "body_file": "FILE",
    "task": "T",
    "context": "C",
    "acceptance": "A",
    "timeout": "S",
    "project": "DIR",
}

#: What an option does.
HELP = {
    "json": "Print one line of JSON.",
    "session": "The session that acts; else AGENT_MAIL_SESSION, else the host's.",
    "check.session": "Record that this session was shown the messages.",
    "thread.session": "Record that this session was shown the messages.",
    "as_": "Your identity: this session acts as it, wherever the command runs.",
    "body_file": "Read the text from a file, - for standard input.",
    "re": "The message this answers; its thread goes on.",
    "thread": "The thread; a new one is named by its first id.",
    "delegate.thread": "The thread it belongs to.",
    "archive.thread": "What waits of a thread, also where a message has that name; may be repeated.",
    "priority": "low, normal or high.",
    "register.kind": "human or program: what has this name, where no agent has it.",
    "kind": "message, handoff, result, blocked, note or knowledge_ref.",
    "cc": "Who gets it too, a comma list.",
    "evidence": "A pointer as JSON; may be repeated.",
    "sender_kind": "human, program, agent or unknown: a mark, no proof; else that of the registry.",
    "once": "Do not repeat a delivery of the last 24 hours.",
    "retry": "Send it again to those whom it did not reach.",
    "check.limit": "List only the N oldest, and say how many more wait.",
    "search.limit": "List only the N newest, and say whether more match.",
    "thread.limit": "Print only the N latest, and say how many are older.",
    "raw": "Print the file's own bytes.",
    "dry_run": "Only say what would be removed.",
    "wire.dry_run": "Print what would change as a diff, and change nothing.",
    "fix": "Fix what is safe to fix.",
    "task": "The work to be done.",
    "context": "The facts needed for it.",
    "acceptance": "How to see that it is done.",
    "timeout": "Seconds; exit 124 when they are up.",
    "poll": "Look again and again instead of being notified.",
    "body": "Print the messages' text too, fenced.",
    "counts": "Only the numbers.",
    "project": "The settings of this project's directory, not of all sessions.",
    "wake": "Also wake idle sessions when mail comes.",
}


def metavar(verb: str, name: str) -> str:
    """How a word or a value is shown."""
    return METAVARS.get(f"{verb}.{name}") or METAVARS.get(name, name)


def help_of(verb: str, name: str) -> str:
    """What an option does."""
    return HELP.get(f"{verb}.{name}") or HELP[name]
