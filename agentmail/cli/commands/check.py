"""What `check` prints, message by message: a mailbox of any size takes little memory."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import TryAgain
from agentmail.core.names import printable
from agentmail.verbs.call import DATA_RULE
from agentmail.verbs.check import open_inbox

#: As long as `send` lets a subject be; one that was written by hand may fill a header.
SUBJECT_SHOWN = 500


def run(context: Context, call: Call, identity: str, *, limit: Limit = None) -> int:
    """List what waits; with `--session`, record what was shown."""
    recorder = None
    if call.session_given:
        from agentmail.verbs.acting import listing_recorder

        recorder = context.seen(listing_recorder(call, identity))
    shown: list[str] = []
    with open_inbox(call, identity, limit) as inbox:
        outcome = inbox.outcome(_noting(inbox.summaries(), shown))
        context.answer("check", outcome, lambda: lines(outcome), lambda: table(outcome))
    if recorder is not None:
        from agentmail.verbs.presenting import present

        present(call.bus, identity, recorder, shown)
    call.finish()
    if outcome["unreadable"]:
        raise TryAgain(
            f"could not read {'; '.join(outcome['unreadable'][:3])} in {names.printable(outcome['path'])}",
            "it waits there and is listed above",
            "see `agentmail doctor`",
        )
    return 0


def _noting(messages: Iterable[Summary], shown: list[str]) -> list[Summary]:
    """The messages as they pass, their file names noted: an iterator in the place of the outcome's list."""

    def passing() -> Iterator[Summary]:
        for message in messages:
            shown.append(message["file"])
            yield message

    return passing()  # type: ignore[return-value]


def lines(outcome: Checked) -> Iterator[str]:
    """A headline that names the box, a line a message, what is odd, and the rule."""
    identity, path = outcome["identity"], printable(outcome["path"])
    if not outcome["count"]:
        yield f"{identity}: no mail ({path})"
        return
    yield f"{identity}: {outcome['count']} waiting, oldest first ({path})"
    for message in outcome["messages"]:
        yield summary(message)
    yield from last_words(outcome)


def last_words(outcome: Checked) -> Iterator[str]:
    """The lines below the messages: how many are not listed, how many have no id because of their names, the rule."""
    if outcome["left_out"]:
        yield f"{outcome['left_out']} more wait, not listed: `agentmail check {outcome['identity']}`"
    if outcome["unrecognised"]:
        yield f"unrecognised: {outcome['unrecognised']} (no message's name; see `agentmail doctor`)"
    yield f"{DATA_RULE} Read one: agentmail read {outcome['identity']} <id>"


def summary(message: Summary) -> str:
    """One waiting message: id, sender, priority, age, subject, flags."""
    flags = f"  [{', '.join(message['flags'])}]" if message["flags"] else ""
    sender = printable(message["from"]) or "?"
    subject = message["subject"]
    if len(subject) > SUBJECT_SHOWN:
        subject = f"{subject[:SUBJECT_SHOWN]}…"
    place = f"  @{printable(message['workspace'])}" if message["workspace"] else ""
    return (
        f"{printable(message['id'])}  {sender}  {message['priority']}  {age(message['age'])}  "
        f"{printable(subject) or '(no subject)'}{place}{flags}"
    )


def age(seconds: int | None) -> str:
    """An age in its largest unit."""
    if seconds is None:
        return "?"
    if seconds < 0:
        return f"in {age(-seconds)}"
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def table(outcome: Checked) -> Iterator[str]:
    """What waits, as a table."""
    from rich.text import Text

    from agentmail.cli import tables

    if not outcome["count"]:
        yield f"{outcome['identity']}: no mail ({printable(outcome['path'])})"
        return
    table = tables.new_table("message", "from", "priority", "age", "size", "subject")
    for message in outcome["messages"]:
        subject = Text(printable(message["subject"]) or "(no subject)")
        if message["workspace"]:
            subject.append(f"  @{printable(message['workspace'])}", style="dim")
        if message["flags"]:
            subject.append(f"  {', '.join(message['flags'])}", style="yellow")
        table.add_row(
            Text(printable(message["id"])),
            Text(printable(message["from"]) or "?"),
            Text(message["priority"], style=tables.COLOURS[message["priority"]]),
            Text(age(message["age"])),
            Text(tables.size(message["size"])),
            subject,
        )
    title = f"{outcome['identity']}: {outcome['count']} waiting, oldest first ({printable(outcome['path'])})"
    yield from tables.rendered(title, table)
    yield from last_words(outcome)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call, Limit
    from agentmail.verbs.check import Checked, Summary
