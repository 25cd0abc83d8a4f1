"""What each parameter of the verbs is called on a command line, and what it means: one line each, for help and schemas.

`name` holds for every verb, `verb.name` for one alone. A command line shows those of options, a schema all. Loaded only where something is to be explained.
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
    "hosts": "host",
}

#: The command that lists what may stand for a word.
LISTED_BY = {
    **dict.fromkeys(("id", "ids"), "`agentmail check` lists the ids of what waits"),
    "unarchive.id": "`agentmail threads` lists the threads",
    "thread.thread": "`agentmail threads` lists the threads",
    **dict.fromkeys(("identity", "--as"), "`agentmail roster` lists the identities"),
    "--thread": "`agentmail threads` lists the threads",
    "--retry": "`agentmail receipts` lists what was sent",
}

#: What a word, an option or the text of a message means.
HELP = {
    "identity": "Your identity, if it is not that of this workdir.",
    "sender": "Your identity, if it is not that of this workdir.",
    "to": "The recipient: an identity, an address NAME@PATH or NAME@PATH.SESSION, a comma list, or @all.",
    "slug": "Two or three words that name the subject: a-z, 0-9 and dashes.",
    "subject": "The subject, one line.",
    "id": "The id of the message.",
    "reply.id": "The id of the message, or a thread: then its latest message from another identity.",
    "ids": "The ids of the messages.",
    "archive.ids": "The ids of the messages; a thread stands for what waits of it.",
    "thread.thread": "The thread, or the id of one of its messages.",
    "words": "Words that must all occur.",
    "text": "The text of the message, at most 8192 bytes. The conclusion first, then what you need, then a path.",
    "delegate.text": "Details of the task.",
    "json": "Print one line of JSON.",
    "session": "The session that acts; else AGENT_MAIL_SESSION, else the host's.",
    "check.session": "Record that this session was shown the messages.",
    "thread.session": "Record that this session was shown the messages.",
    "as_": "Your identity: this session acts as it, wherever the command runs.",
    "body_file": "Read the text from a file, - for standard input.",
    "re": "The message that this answers, in its thread.",
    "thread": "The thread; a new one is named by its first id.",
    "delegate.thread": "The thread it belongs to.",
    "archive.thread": "The waiting messages of a thread, even if a message has that name; may be repeated.",
    "priority": "low, normal or high.",
    "register.kind": "human or program, where the name is not an agent's; agent removes the kind.",
    "kind": "message, handoff, result, blocked, note or knowledge_ref.",
    "cc": "More recipients, as in to.",
    "evidence": "A pointer as JSON; may be repeated.",
    "sender_kind": "human, program, agent or unknown: a claim, not a proof. Without it: as registered.",
    "once": "Do not repeat a delivery of the last 24 hours.",
    "retry": "Send that message again to those who lack it.",
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
    "timeout": "Seconds to wait; then exit 124.",
    "poll": "Look every half second; wait for no notification.",
    "body": "Print the messages' text too, fenced.",
    "counts": "Only the numbers.",
    "project": "The settings of this project's directory, not of all sessions.",
    "wake": "Also wake idle sessions when mail comes.",
    "strict": "Also set the host's own guard, where it has one.",
    "trust": "Also tell the host that you trust these hooks and tools, where it asks.",
    "mcp": "Also add the mail as tools, by MCP. In Codex they are added always.",
}


def metavar(verb: str, name: str) -> str:
    """How a word or a value is shown."""
    return METAVARS.get(f"{verb}.{name}") or METAVARS.get(name, name)


def help_of(verb: str, name: str) -> str:
    """What an option does."""
    return HELP.get(f"{verb}.{name}") or HELP[name]
