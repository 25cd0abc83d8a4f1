"""The commands: positional words in, a verb, its outcome printed, an exit code out.

Every command is called the same way by the plain form (main.py) and by typer (app.py), so there is one
grammar. What is imported inside a function is imported only by the command that needs it.
"""

from __future__ import annotations

from agentmail.cli import text
from agentmail.cli.grammar import misused, split_me
from agentmail.cli.mouth import Mouth
from agentmail.core import names
from agentmail.core.errors import TryAgain, worst_of
from agentmail.core.layout import SENT
from agentmail.core.retention import retention_days


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
    session: str | None = None,
    body_file: str | None = None,
    once: bool = False,
    **options: Unpack[DraftOptions],
) -> int:
    """Send a message."""
    from agentmail.verbs.draft import Draft
    from agentmail.verbs.send import send as verb

    if len(words) < 3:
        raise misused("send")
    sender, to, slug, *subject = words
    draft = Draft(sender, to, slug, " ".join(subject), session=mouth.session(session), **options)
    outcome = verb(
        mouth.bus, draft, lambda: mouth.body(body_file), mouth.machine, once=once, ask_wake=mouth.json
    )
    return told(mouth, "send", outcome)


def told(mouth: Mouth, command: str, outcome: Delivered) -> int:
    """Report a delivery; where some of several recipients did not surely get it, each is named."""
    mouth.report(command, outcome, lambda: text.delivered(outcome))
    codes = [one.get("exit", 0) for one in outcome["recipients"]]
    for one in outcome["recipients"] if any(codes) else ():
        mouth.output.say(one.get("error", f"{one['identity']}: {one['outcome']} {outcome['id']}"))
    return worst_of(codes)


def reply(
    mouth: Mouth,
    words: list[str],
    *,
    session: str | None = None,
    body_file: str | None = None,
    once: bool = False,
    **options: Unpack[ReplyOptions],
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
        mouth.machine,
        once=once,
        ask_wake=mouth.json,
        session=mouth.session(session),
        **options,
    )
    return told(mouth, "reply", outcome)


def check(mouth: Mouth, words: list[str], *, session: str | None = None) -> int:
    """List what waits; with a session, record that it was shown."""
    from agentmail.verbs.check import check as verb

    if len(words) > 1:
        raise misused("check")
    identity = mouth.me(words[0] if words else None)
    origin = mouth.origin(session)
    outcome = verb(mouth.bus, identity)
    shown: list[str] = []
    outcome["messages"] = noting(outcome["messages"], shown)
    mouth.answer("check", outcome, lambda: text.checked(outcome))
    mouth.present(origin, identity, shown)
    if outcome["unreadable"]:
        raise TryAgain(
            f"could not read {'; '.join(outcome['unreadable'][:3])} in {names.printable(outcome['path'])}",
            "it waits there and is listed above",
            "see `agentmail doctor`",
        )
    return 0


def noting(messages: Iterable[Summary], shown: list[str]) -> Iterator[Summary]:
    """The messages as they pass, with their file names noted."""
    for message in messages:
        shown.append(message["file"])
        yield message


def read(mouth: Mouth, words: list[str], *, raw: bool = False, session: str | None = None) -> int:
    """Print one message; with a session, record that it was shown."""
    from agentmail.verbs import read as verb

    me, ids = split_me("read", words)
    if len(ids) != 1:
        raise misused("read")
    identity = mouth.me(me)
    if raw:
        place, name, data = verb.raw(mouth.bus, identity, ids[0])
        origin = mouth.origin(session)
        mouth.output.raw(data)
    else:
        outcome = verb.read(mouth.bus, identity, ids[0])
        origin = mouth.origin(session)
        place, name = outcome["place"], f"{outcome['id']}.md"
        mouth.answer("read", outcome, lambda: text.opened(outcome))
    if place != SENT:
        mouth.present(origin, identity, [name.removesuffix(".gz")])
    return 0


def archive(mouth: Mouth, words: list[str], *, threads: Sequence[str] = ()) -> int:
    """Archive messages, and what waits of whole threads."""
    from agentmail.verbs.archive import archive as verb

    me, ids = split_me("archive", words, least=0 if threads else 1)
    outcome = verb(mouth.bus, mouth.me(me), ids, mouth.environment.retention(), threads)
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
    if len(words) == 1 and days is not None:
        days = None if days == "off" else str(retention_days(days, "AGENT_MAIL_RETENTION_DAYS: "))
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
    outcome = verb(mouth.bus, fix=fix, environment=mouth.environment)
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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    from agentmail.verbs.draft import DraftOptions, ReplyOptions
    from agentmail.verbs.outcomes import Delivered, Summary
