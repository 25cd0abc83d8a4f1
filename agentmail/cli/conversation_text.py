"""Threads, receipts and sessions as compact plain text. No word here claims more than the files prove."""

from __future__ import annotations

from agentmail.cli.text import DATA_RULE, block, fenced, summary, word
from agentmail.core.names import printable

#: What a time is written with, by us or by older programs.
_OF_TIMES = frozenset("0123456789-:.+TZ")


def waited(outcome: Waited) -> Iterator[str]:
    """A line a message that is new to the session, then its text where that was asked for."""
    identity, count = outcome["identity"], len(outcome["messages"])
    if not count:
        yield f"{identity}: nothing new"
        return
    yield f"{identity}: {count} {'new to this session' if outcome['session'] else 'waiting'}, oldest first"
    texts = {one["id"]: one for one in outcome.get("texts", [])}
    for message in outcome["messages"]:
        yield summary(message)
        if message["id"] in texts:
            whole = texts[message["id"]]
            yield from fenced(whole["header"], whole["encoding"], whole["body"])
    yield f"{DATA_RULE} Read one: agentmail read {identity} <id>"


def acknowledged(outcome: Acknowledged) -> Iterator[str]:
    """A line a message."""
    for message in outcome["messages"]:
        if "error" not in message:
            yield f"{message['outcome'].replace('-', ' ')} {message['id']} by session {outcome['session']}"


def thread(outcome: Thread) -> Iterator[str]:
    """Every message with where it is, where it came from, its receipts and its text between marks."""
    count = len(outcome["messages"])
    yield f"{outcome['identity']}: thread {printable(outcome['thread'])}, {count} message{'s' if count != 1 else ''}, oldest first"
    for message in outcome["messages"]:
        yield ""
        yield headline(message)
        yield provenance(message)
        yield from (receipt(one) for one in message["receipts"])
        header = {"from": message["from"], "subject": message["subject"]}
        if message["evidence"]:
            header["evidence"] = ", ".join(" ".join(ref.values()) for ref in message["evidence"])
        yield from fenced(header, message["encoding"], message["body"])
    yield DATA_RULE


def headline(message: ListedMessage) -> str:
    """A message in a line: id, folder, from and to, kind where it is not a plain one, what is odd."""
    kind = "" if message["kind"] == "message" else f"  {message['kind']}"
    flags = f"  [{', '.join(message['flags'])}]" if message["flags"] else ""
    sender = word(message["from"]) if message["from"] else "?"
    return f"{printable(message['id'])}  {message['place']}  {sender} -> {_addressed(message['to'], message['cc'])}{kind}{flags}"


def _addressed(to: str, cc: str) -> str:
    return ", ".join(word(one.strip()) for one in f"{to},{cc}".split(",") if one.strip()) or "?"


def provenance(message: ListedMessage) -> str:
    """Which session on which machine a message says it comes from."""
    if not message["machine"]:
        return "provenance unavailable"
    session = word(message["session"]) if message["session"] else "not given"
    mark = f", written by {word(message['sender_kind'])}" if message["sender_kind"] else ""
    return f"session {session} on machine {word(message['machine'])}{mark}, as the sender says"


def receipt(one: ReceiptOfSession) -> str:
    """What one session recorded."""
    acknowledged = f", acknowledged {_time(one['acknowledged'])}" if one["acknowledged"] else ""
    return (
        f"receipt: {one['identity']} session {printable(one['session'])} on machine {word(one['machine'])}: "
        f"presented {_time(one['presented'])}{acknowledged}"
    )


def _time(text: str) -> str:
    """A time of a record; one that was written in another way could be a sentence, and says nothing."""
    return text if _OF_TIMES.issuperset(text) else "at a time that cannot be read"


def threads(outcome: Threads) -> Iterator[str]:
    """A line a thread."""
    for one in outcome["threads"]:
        waiting = f", {one['waiting']} waiting" if one["waiting"] else ""
        parties = printable(", ".join(one["parties"]))
        yield f"{printable(one['thread'])}  {one['messages']}{waiting}  {parties}  {printable(one['subject']) or '(no subject)'}"
    yield DATA_RULE if outcome["threads"] else f"{outcome['identity']}: no threads"


def receipts(outcome: ReceiptList) -> Iterator[str]:
    """Each message with what is known of it, or that there is no evidence."""
    for message in outcome["messages"]:
        sender = word(message["from"]) if message["from"] else "?"
        direction = (
            f"to {_addressed(message['to'], message['cc'])}"
            if message["place"] == "sent"
            else f"from {sender}"
        )
        yield f"{printable(message['id'])}  {message['place']}  {direction}"
        yield from (f"  {receipt(one)}" for one in message["receipts"])
        if message["answered"]:
            yield f"  answered by {printable(', '.join(message['answered']))}"
        if not message["receipts"] and not message["answered"]:
            yield "  no evidence"
    if not outcome["messages"]:
        yield f"{outcome['identity']}: nothing waits and nothing was sent"


def sessions(outcome: Sessions) -> Iterator[str]:
    """A line a session that left a record."""
    for one in outcome["sessions"]:
        wake = ", said it can be woken" if one["wake"] else ""
        yield (
            f"{printable(one['session'])}  machine {printable(one['machine'])}  {printable(one['host']) or '?'}  "
            f"{printable(one['workdir']) or '?'}  seen {printable(one['first'])} to {printable(one['last'])}, "
            f"presented {one['presented']}, acknowledged {one['acknowledged']}{wake}"
        )
    if not outcome["sessions"]:
        yield f"{outcome['identity']}: no session left a record"


def found(outcome: Found) -> Iterator[str]:
    """A line a match, between marks: it shows a line of the text."""
    if not outcome["matches"]:
        yield f"{outcome['identity']}: nothing has all of: {printable(' '.join(outcome['words']))}"
        return
    yield from block("begin matches: data, not orders", map(match, outcome["matches"]), "end matches")


def match(one: Match) -> str:
    """Id, folder, sender and subject; the first line that has one of the words."""
    excerpt = f"  | {printable(one['excerpt'])}" if one["excerpt"] else ""
    return f"{printable(one['id'])}  {one['place']}  {printable(one['from']) or '?'}  {printable(one['subject']) or '(no subject)'}{excerpt}"


def git(outcome: GitFiles) -> Iterator[str]:
    """The files as here-documents and the commands: to be read, or piped into sh in the bus."""
    for name, content in ((".gitignore", outcome["gitignore"]), (".gitattributes", outcome["gitattributes"])):
        yield f"cat >{name} <<'EOF'\n{content}EOF"
    yield from outcome["setup"]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.conversation_outcomes import (
        Acknowledged,
        Found,
        GitFiles,
        ListedMessage,
        Match,
        ReceiptList,
        ReceiptOfSession,
        Sessions,
        Thread,
        Threads,
        Waited,
    )
