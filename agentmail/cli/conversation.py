"""The commands about threads, sessions and receipts."""

from __future__ import annotations

from agentmail.cli import conversation_text as text
from agentmail.cli.commands import told
from agentmail.cli.grammar import misused, split_me
from agentmail.cli.mouth import NO_MACHINE, Mouth
from agentmail.core import names
from agentmail.core.errors import NotFound, Refused, TryAgain, worst_of
from agentmail.core.layout import SENT

TIME_IS_UP = 124
TIMEOUT_MAX = 7 * 86_400


def answer(
    mouth: Mouth, command: str, outcome: Mapping[str, object], lines: Callable[[], Iterable[str]]
) -> None:
    """Print a view; then say what could not be read for it."""
    mouth.answer(command, outcome, lines)
    mouth.unreadable(outcome)


def delegate(
    mouth: Mouth,
    words: list[str],
    *,
    task: str = "",
    context: str = "",
    acceptance: str = "",
    session: str | None = None,
    once: bool = False,
    **options: Unpack[DraftOptions],
) -> int:
    """Hand work over."""
    from agentmail.verbs.delegate import handoff_body, handoff_slug, handoff_subject
    from agentmail.verbs.draft import Draft
    from agentmail.verbs.send import send as verb

    if len(words) < 2:
        raise misused("delegate")
    sender, to, *subject = words
    body = handoff_body(task, context, acceptance)
    options["kind"] = "handoff"
    draft = Draft(
        sender,
        to,
        handoff_slug(task),
        " ".join(subject) or handoff_subject(task),
        session=mouth.session(session),
        **options,
    )
    return told(
        mouth, "delegate", verb(mouth.bus, draft, lambda: body, mouth.machine, once=once, ask_wake=mouth.json)
    )


def wait(
    mouth: Mouth,
    words: list[str],
    *,
    timeout: str | None = None,
    session: str | None = None,
    poll: bool = False,
    body: bool = False,
) -> int:
    """Wait for what this session was not shown; 124 when time is up."""
    from agentmail.verbs.wait import Waiting, deadline_of

    if len(words) > 1:
        raise misused("wait")
    deadline = deadline_of(seconds(timeout))
    identity = mouth.me(words[0] if words else None)
    origin = mouth.origin(session)
    with Waiting(mouth.bus, identity, origin, poll=poll) as waiting:
        if waiting.how == "polling" and not poll:
            mouth.output.say("note: no notification is to be had here; looking again every half second")
        found = waiting.until(deadline)
        outcome: Waited = {
            "identity": identity,
            "session": origin.session if origin else "",
            "how": waiting.how,
            "messages": found,
        }
        if body:
            outcome["texts"] = _texts(mouth, outcome)
        mouth.answer("wait", outcome, lambda: text.waited(outcome))
        waiting.present(found)
    return 0 if found else TIME_IS_UP


def _texts(mouth: Mouth, outcome: Waited) -> list[Opened]:
    """The messages that were waited for, whole."""
    from agentmail.verbs.read import read

    texts = []
    for message in outcome["messages"]:
        try:
            texts.append(read(mouth.bus, outcome["identity"], message["id"]))
        except (NotFound, Refused) as error:
            mouth.output.say(str(error))
    return texts


def seconds(timeout: str | None) -> float | None:
    """A time-out in seconds, up to a week; None waits without end."""
    if timeout is None:
        return None
    whole, _, part = timeout.partition(".")
    digits = names.DIGITS_ONLY.issuperset(whole + part) and 0 < len(whole) <= 6 and len(part) <= 3
    if digits and float(timeout) <= TIMEOUT_MAX:
        return float(timeout)
    raise Refused(
        f"{names.quoted(timeout)} is not a time-out",
        names.NOTHING_CHANGED,
        f"give seconds, at most {TIMEOUT_MAX}",
    )


def ack(mouth: Mouth, words: list[str], *, session: str | None = None) -> int:
    """Acknowledge messages for this session."""
    from agentmail.verbs.ack import ack as verb

    me, ids = split_me("ack", words)
    if not mouth.session(session):
        raise Refused(
            "no session is known that could acknowledge",
            names.NOTHING_CHANGED,
            "give --session, or set AGENT_MAIL_SESSION",
        )
    identity = mouth.me(me)
    for id in ids:
        names.message_id(id)
    origin = mouth.origin(session)
    if origin is None:
        raise TryAgain(
            f"{NO_MACHINE}: {mouth.no_machine}",
            names.NOTHING_CHANGED,
            "mend or remove that, or set AGENT_MAIL_MACHINE",
        )
    outcome = verb(mouth.bus, identity, ids, origin)
    mouth.report("ack", outcome, lambda: text.acknowledged(outcome))
    for message in outcome["messages"]:
        if "error" in message:
            mouth.output.say(message["error"])
    return worst_of([message.get("exit", 0) for message in outcome["messages"]])


def thread(mouth: Mouth, words: list[str], *, session: str | None = None) -> int:
    """Print a thread; with a session, record that it was shown."""
    from agentmail.verbs.thread import thread as verb

    me, ids = split_me("thread", words)
    if len(ids) != 1:
        raise misused("thread")
    identity = mouth.me(me)
    outcome = verb(mouth.bus, identity, ids[0], mouth.progress)
    origin = mouth.origin(session)
    answer(mouth, "thread", outcome, lambda: text.thread(outcome))
    received = [f"{one['id']}.md" for one in outcome["messages"] if one["place"] != SENT]
    mouth.present(origin, identity, received)
    return 0


def threads(mouth: Mouth, words: list[str]) -> int:
    """List the threads."""
    from agentmail.verbs.thread import threads as verb

    if len(words) > 1:
        raise misused("threads")
    outcome = verb(mouth.bus, mouth.me(words[0] if words else None), mouth.progress)
    answer(mouth, "threads", outcome, lambda: text.threads(outcome))
    return 0


def receipts(mouth: Mouth, words: list[str]) -> int:
    """What sessions recorded about messages."""
    from agentmail.verbs.receipts import receipts as verb

    me, ids = split_me("receipts", words, least=0)
    if len(ids) > 1:
        raise misused("receipts")
    outcome = verb(mouth.bus, mouth.me(me), ids[0] if ids else None)
    answer(mouth, "receipts", outcome, lambda: text.receipts(outcome))
    return 0


def sessions(mouth: Mouth, words: list[str]) -> int:
    """The sessions that left a record."""
    from agentmail.verbs.receipts import sessions as verb

    if len(words) > 1:
        raise misused("sessions")
    outcome = verb(mouth.bus, mouth.me(words[0] if words else None))
    answer(mouth, "sessions", outcome, lambda: text.sessions(outcome))
    return 0


def snapshot(mouth: Mouth, words: list[str], *, counts: bool = False, session: str | None = None) -> int:
    """One JSON document about a mailbox, whether JSON was asked for or not."""
    from agentmail.verbs.snapshot import snapshot as verb

    if len(words) > 1:
        raise misused("snapshot")
    mouth.json = True
    outcome = verb(
        mouth.bus, mouth.me(words[0] if words else None), mouth.origin(session), counts_only=counts
    )
    answer(mouth, "snapshot", outcome, lambda: ())
    return 0


def search(mouth: Mouth, words: list[str]) -> int:
    """Find messages by words."""
    from agentmail.verbs.search import search as verb

    if len(words) < 2:
        raise misused("search")
    outcome = verb(mouth.bus, names.identity(words[0]), words[1:], mouth.progress)
    answer(mouth, "search", outcome, lambda: text.found(outcome))
    return 0 if outcome["matches"] else 1


def git(mouth: Mouth, words: list[str]) -> int:
    """Print what a bus needs to be a git work tree."""
    from agentmail.verbs.git import git as verb

    if words:
        raise misused("git")
    outcome = verb()
    mouth.answer("git", outcome, lambda: text.git(outcome))
    return 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Unpack

    from agentmail.verbs.conversation_outcomes import Waited
    from agentmail.verbs.draft import DraftOptions
    from agentmail.verbs.outcomes import Opened
