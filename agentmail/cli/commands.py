"""The commands: positional words in, a verb, its outcome printed, an exit code out.

Every command is called the same way by the plain form (main.py) and by typer (app.py), so there is one
grammar. What is imported inside a function is imported only by the command that needs it.
"""

from __future__ import annotations

from agentmail.cli import text
from agentmail.cli.mouth import Mouth
from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain, worst_of

USAGE = {
    "register": "<id> <workdir> <responsibility...>",
    "send": "<from> <to> <slug> [subject...]",
    "check": "[<id>]",
    "read": "[<id>] <message-id>",
    "reply": "[<id>] <message-id> [subject...]",
    "archive": "[<id>] <message-id>...",
    "unarchive": "[<id>] <message-id>",
    "prune": "<id> [days]",
    "roster": "",
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


def register(mouth: Mouth, words: list[str]) -> int:
    """Make or change an identity."""
    from agentmail.verbs.register import register as verb

    if len(words) < 3:
        raise misused("register")
    outcome = verb(mouth.bus, mouth.environment, words[0], words[1], " ".join(words[2:]))
    mouth.report("register", outcome, lambda: text.registered(outcome))
    return 0


def send(
    mouth: Mouth,
    words: list[str],
    *,
    re: str | None = None,
    thread: str | None = None,
    priority: str = "normal",
    body_file: str | None = None,
    once: bool = False,
) -> int:
    """Send a message."""
    from agentmail.verbs.send import Draft
    from agentmail.verbs.send import send as verb

    if len(words) < 3:
        raise misused("send")
    sender, to, slug, *subject = words
    draft = Draft(sender, to, slug, " ".join(subject), re=re, thread=thread, priority=priority)
    outcome = verb(mouth.bus, draft, lambda: mouth.body(body_file), once=once)
    mouth.report("send", outcome, lambda: text.delivered(outcome))
    return 0


def reply(
    mouth: Mouth,
    words: list[str],
    *,
    priority: str = "normal",
    body_file: str | None = None,
    once: bool = False,
) -> int:
    """Answer a message."""
    from agentmail.verbs.reply import reply as verb

    me, (id, *subject) = split_me("reply", words)
    outcome = verb(
        mouth.bus,
        mouth.me(me),
        id,
        " ".join(subject),
        lambda: mouth.body(body_file),
        priority=priority,
        once=once,
    )
    mouth.report("reply", outcome, lambda: text.delivered(outcome))
    return 0


def check(mouth: Mouth, words: list[str]) -> int:
    """List what waits."""
    from agentmail.verbs.check import check as verb

    if len(words) > 1:
        raise misused("check")
    outcome = verb(mouth.bus, mouth.me(words[0] if words else None))
    mouth.answer("check", outcome, lambda: text.checked(outcome))
    if outcome["unreadable"]:
        raise TryAgain(
            f"could not read {'; '.join(outcome['unreadable'][:3])} in {names.printable(outcome['path'])}",
            "it waits there and is listed above",
            "see `agentmail doctor`",
        )
    return 0


def read(mouth: Mouth, words: list[str], *, raw: bool = False) -> int:
    """Print one message."""
    from agentmail.verbs import read as verb

    me, ids = split_me("read", words)
    if len(ids) != 1:
        raise misused("read")
    if raw:
        mouth.output.raw(verb.raw(mouth.bus, mouth.me(me), ids[0])[2])
    else:
        outcome = verb.read(mouth.bus, mouth.me(me), ids[0])
        mouth.answer("read", outcome, lambda: text.opened(outcome))
    return 0


def archive(mouth: Mouth, words: list[str]) -> int:
    """Archive messages."""
    from agentmail.verbs.archive import archive as verb

    me, ids = split_me("archive", words)
    outcome = verb(mouth.bus, mouth.me(me), ids, mouth.environment.retention())
    mouth.report("archive", outcome, lambda: text.archived(outcome))
    for message in outcome["messages"]:
        if "error" in message:
            mouth.output.say(message["error"])
    return worst_of([message.get("exit", 0) for message in outcome["messages"]])


def unarchive(mouth: Mouth, words: list[str]) -> int:
    """Move a message back to the inbox."""
    from agentmail.verbs.unarchive import unarchive as verb

    me, ids = split_me("unarchive", words)
    if len(ids) != 1:
        raise misused("unarchive")
    outcome = verb(mouth.bus, mouth.me(me), ids[0])
    mouth.report("unarchive", outcome, lambda: text.unarchived(outcome))
    return 0


def prune(mouth: Mouth, words: list[str], *, dry_run: bool = False) -> int:
    """Remove what is past its age."""
    from agentmail.verbs.prune import prune as verb

    if not 1 <= len(words) <= 2:
        raise misused("prune")
    days = words[1] if len(words) == 2 else mouth.environment.retention()
    if days == "off" and len(words) == 1:
        days = None
    outcome = verb(mouth.bus, names.identity(words[0]), days, dry_run=dry_run)
    mouth.report("prune", outcome, lambda: text.pruned(outcome))
    for failure in outcome["failed"]:
        mouth.output.say(f"not removed: {failure}")
    return 1 if outcome["failed"] else 0


def roster(mouth: Mouth, words: list[str]) -> int:
    """Print the registry."""
    from agentmail.verbs.roster import roster as verb

    if words:
        raise misused("roster")
    outcome = verb(mouth.bus)
    mouth.answer("roster", outcome, lambda: text.roster(outcome))
    if outcome["problem"]:
        raise TryAgain(outcome["problem"], "the mailboxes are listed all the same", "see `agentmail doctor`")
    return 0


def doctor(mouth: Mouth, words: list[str], *, fix: bool = False) -> int:
    """Look for what is wrong, and mend what is safe."""
    from agentmail.verbs.doctor import doctor as verb

    if words:
        raise misused("doctor")
    outcome = verb(mouth.bus, fix=fix)
    mouth.answer("doctor", outcome, lambda: text.diagnosed(outcome))
    return 0 if outcome["ok"] else 1


def demo(mouth: Mouth, words: list[str]) -> int:
    """Tell the whole story in a throw-away bus."""
    from agentmail.cli.demo import demo as story
    from agentmail.cli.demo import lines

    if words:
        raise misused("demo")
    outcome = story()
    mouth.answer("demo", outcome, lambda: lines(outcome))
    return 0


#: The commands whose plain form needs no typer.
COMMANDS = {
    "register": register,
    "send": send,
    "check": check,
    "read": read,
    "reply": reply,
    "archive": archive,
    "unarchive": unarchive,
    "prune": prune,
    "roster": roster,
    "doctor": doctor,
    "demo": demo,
}
