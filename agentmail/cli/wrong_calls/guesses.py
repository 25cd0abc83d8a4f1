"""What a caller means who has read nothing: words of other mail programs, and the call that does that here.

Why a table and not the nearest letters: `delete` is not `delegate`, and `whoami` is not `wait`.
"""

from __future__ import annotations

#: A guessed command -> the command that does this; the caller's own words follow it where they fit.
COMMANDS = {
    **dict.fromkeys(
        ("inbox", "list", "ls", "status", "fetch", "pull", "mailbox", "messages", "peek", "count"), "check"
    ),
    **dict.fromkeys(("show", "open", "cat", "view", "get", "print"), "read"),
    **dict.fromkeys(
        (
            "done",
            "delete",
            "del",
            "rm",
            "remove",
            "mark-read",
            "mark",
            "mark-as-read",
            "mark-done",
            "close",
            "handled",
            "finish",
            "resolve",
        ),
        "archive",
    ),
    **dict.fromkeys(("me", "self", "id", "identity", "who-am-i", "iam", "as", "su"), "whoami"),
    **dict.fromkeys(
        ("agents", "who", "contacts", "users", "peers", "identities", "directory", "registry"), "roster"
    ),
    **dict.fromkeys(("init", "join", "login", "signup", "sign-up", "add", "create"), "register"),
    **dict.fromkeys(
        ("write", "compose", "post", "new", "message", "msg", "email", "mail", "ask", "tell", "dm", "notify"),
        "send",
    ),
    **dict.fromkeys(("answer", "respond", "re"), "reply"),
    **dict.fromkeys(("sent", "outbox", "history", "log", "conversations"), "threads"),
    **dict.fromkeys(("conversation", "discussion"), "thread"),
    **dict.fromkeys(("assign", "handoff", "hand-over", "task"), "delegate"),
    **dict.fromkeys(("listen", "watch", "poll", "subscribe", "receive"), "wait"),
    **dict.fromkeys(("acknowledge", "confirm"), "ack"),
    **dict.fromkeys(("find", "grep", "query"), "search"),
    **dict.fromkeys(("undo", "restore", "unread", "reopen"), "unarchive"),
    **dict.fromkeys(("clean", "purge", "expire", "gc"), "prune"),
    **dict.fromkeys(("setup", "install", "hooks", "configure"), "wire"),
    **dict.fromkeys(("uninstall",), "unwire"),
    **dict.fromkeys(("diagnose", "health", "verify", "fsck", "ping", "fix", "repair"), "doctor"),
    **dict.fromkeys(("example", "tutorial"), "demo"),
    **dict.fromkeys(("evidence", "read-receipts", "receipt"), "receipts"),
}

#: A guessed command -> what to do instead, where that is not one command of ours.
INSTEAD = {
    "export": "there is no command for it; `agentmail snapshot` prints a mailbox as JSON, and a mailbox is a "
    "directory of plain files that `cp -R` copies",
}
INSTEAD["completion"] = INSTEAD["completions"] = "bash, zsh and fish get it by agentmail --install-completion"
INSTEAD["backup"] = INSTEAD["dump"] = INSTEAD["export"]
#: Words that other programs have before a command, as in `mail check`.
GROUPS = frozenset("agentmail bus email inbox mail mailbox message messages msg".split())
#: Guesses that are a message to everybody, or a message passed on.
TO_EVERYBODY = ("broadcast", "announce", "all")
PASSED_ON = ("forward", "fwd")
#: Guesses that list where they have no words, and send where they have some.
LIST_WITHOUT_WORDS = ("mail", "email", "message", "msg", "unread")
#: A command that lists -> the one that shows a single thing, for a guess that names one.
OF_ONE = {"check": "read", "threads": "thread"}
#: Guessed options whose value is a word of the call.
WORD_OPTIONS = ("--id", "--message-id", "--message", "--identity", "--query", "-q")
#: Guesses of a caller that names who it is: an identity that exists needs no command.
ACTING = ("login", "join", "iam", "as", "su", "init", "signup", "sign-up", "identity", "me", "self")
#: Words that a caller may take for a message, and that name none.
NO_MESSAGE = frozenset("all * latest last newest first oldest next new unread everything read inbox".split())
#: A second command that a guess may have meant.
ALSO = {"sent": "receipts", "outbox": "receipts"}

#: A guessed option of send, reply or delegate -> the part of the call that it stands for.
OPTIONS = {
    **dict.fromkeys(("--to", "-t", "--recipient", "--recipients"), "to"),
    **dict.fromkeys(("--from", "-f", "--sender"), "sender"),
    **dict.fromkeys(("--subject", "-s", "--title"), "subject"),
    **dict.fromkeys(("--slug",), "slug"),
    **dict.fromkeys(("--body", "-b", "--message", "-m", "--text", "--content", "--msg"), "text"),
    **dict.fromkeys(("--attach", "-a", "--attachment", "--file"), "path"),
    **dict.fromkeys(("--reply-to", "--in-reply-to"), "re"),
}

#: How like an option a word has to be to be taken for a slip of it, and not for a word of a subject.
NEAR = 0.85


def is_meant_as_option(arg: str, flags: list[str]) -> bool:
    """True for an option, one of other programs, one that is cut off, and a slip of one."""
    flag = arg.partition("=")[0]
    return flag in ("-h", "--help") or flag in flags or flag in OPTIONS or bool(nearest_option(flag, flags))


def nearest_option(flag: str, flags: list[str]) -> str:
    """The option that a flag is cut off from, or a slip of; empty for none."""
    if not 3 < len(flag) <= 40 or not flag.startswith("--"):
        return ""
    from difflib import get_close_matches

    cut = [one for one in flags if one.startswith(flag)]
    return next(iter(cut or get_close_matches(flag, flags, n=1, cutoff=NEAR)), "")
