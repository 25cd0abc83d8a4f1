"""What `thread` prints."""

from __future__ import annotations

from agentmail.cli.text import addressed, fenced, missed, receipt, word
from agentmail.core.names import printable
from agentmail.verbs.call import DATA_RULE


def lines(outcome: Thread) -> Iterator[str]:
    """Every message with where it is, where it came from, its receipts and its text between marks."""
    count = len(outcome["messages"]) + outcome["left_out"]
    yield f"{outcome['identity']}: thread {printable(outcome['thread'])}, {count} message{'s' if count != 1 else ''}, oldest first"
    if outcome["left_out"]:
        yield f"{outcome['left_out']} older not shown: `agentmail thread {outcome['identity']} {printable(outcome['thread'])}`"
    for message in outcome["messages"]:
        yield ""
        yield headline(message)
        yield provenance(message)
        yield from (receipt(one) for one in message["receipts"])
        yield from (missed(one, outcome["identity"], message["id"]) for one in message["missed"])
        header = {"from": message["from"], "subject": message["subject"]}
        if message["workspaces"]:
            paths = message["workspaces"].items()
            header["workspace"] = "; ".join(f"{identity}@{path}" for identity, path in paths)
        if message["evidence"]:
            header["evidence"] = ", ".join(" ".join(ref.values()) for ref in message["evidence"])
        yield from fenced(header, message["encoding"], message["body"])
    yield DATA_RULE


def headline(message: ListedMessage) -> str:
    """A message in a line: id, folder, from and to, kind where it is not a plain one, what is odd."""
    kind = "" if message["kind"] == "message" else f"  {message['kind']}"
    flags = f"  [{', '.join(message['flags'])}]" if message["flags"] else ""
    sender = word(message["from"]) if message["from"] else "?"
    return f"{printable(message['id'])}  {message['place']}  {sender} -> {addressed(message['to'], message['cc'])}{kind}{flags}"


def provenance(message: ListedMessage) -> str:
    """Which session on which machine a message says it comes from."""
    if not message["machine"]:
        return "provenance unavailable"
    session = word(message["session"]) if message["session"] else "not given"
    mark = f", written by {word(message['sender_kind'])}" if message["sender_kind"] else ""
    return f"session {session} on machine {word(message['machine'])}{mark}, as the sender says"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.thread import ListedMessage, Thread
