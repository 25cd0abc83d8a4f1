"""The commands about threads, sessions and receipts, with their options."""

from __future__ import annotations

from typing import Annotated

import typer

from agentmail.cli import conversation
from agentmail.cli.completion import identities, waiting_ids
from agentmail.cli.options import NO_WORDS, Cc, Evidence, Json, Once, Priority, Session, app, mouth_of, words

DelegateWords = Annotated[list[str] | None, words("delegate", identities)]
WaitWords = Annotated[list[str] | None, words("wait", identities)]
AckWords = Annotated[list[str] | None, words("ack", waiting_ids)]
ThreadWords = Annotated[list[str] | None, words("thread", waiting_ids)]
MineWords = Annotated[list[str] | None, words("threads", identities)]
ReceiptWords = Annotated[list[str] | None, words("receipts", waiting_ids)]
SearchWords = Annotated[list[str] | None, words("search", identities)]


def add() -> None:
    """Hang the commands into the app, in the order in which help shows them."""
    for command in (delegate, wait, ack, thread, threads, receipts, sessions, snapshot, search):
        app.command()(command)
    app.command(context_settings=NO_WORDS)(git)


def delegate(
    context: typer.Context,
    words: DelegateWords = None,
    task: Annotated[str, typer.Option(help="What is to be done.", metavar="T")] = "",
    context_text: Annotated[
        str, typer.Option("--context", help="What one must know for it.", metavar="C")
    ] = "",
    acceptance: Annotated[str, typer.Option(help="By what it is seen to be done.", metavar="A")] = "",
    thread: Annotated[str | None, typer.Option(help="The thread it belongs to.", metavar="T")] = None,
    priority: Priority = "normal",
    cc: Cc = None,
    evidence: Evidence = None,
    session: Session = None,
    once: Once = False,
    json: Json = False,
) -> int:
    """Hand work over: a message of kind handoff with task, context and acceptance as sections."""
    return conversation.delegate(
        mouth_of(context, json),
        words or [],
        task=task,
        context=context_text,
        acceptance=acceptance,
        session=session,
        once=once,
        thread=thread,
        priority=priority,
        cc=cc,
        evidence=evidence or (),
    )


def wait(
    context: typer.Context,
    words: WaitWords = None,
    timeout: Annotated[
        str | None, typer.Option(help="Seconds; exit 124 when they are up.", metavar="S")
    ] = None,
    session: Session = None,
    poll: Annotated[
        bool, typer.Option("--poll", help="Look again and again instead of being notified.")
    ] = False,
    body: Annotated[bool, typer.Option("--body", help="Print the messages' text too, fenced.")] = False,
    json: Json = False,
) -> int:
    """Wait for a message that this session was not shown, print it, record that."""
    return conversation.wait(
        mouth_of(context, json), words or [], timeout=timeout, session=session, poll=poll, body=body
    )


def ack(context: typer.Context, words: AckWords = None, session: Session = None, json: Json = False) -> int:
    """Record that this session acknowledges messages. It says nothing of reading, agreeing or doing."""
    return conversation.ack(mouth_of(context, json), words or [], session=session)


def thread(
    context: typer.Context, words: ThreadWords = None, session: Session = None, json: Json = False
) -> int:
    """Print a thread, oldest first, with receipts; by its name or by one of its messages."""
    return conversation.thread(mouth_of(context, json), words or [], session=session)


def threads(context: typer.Context, words: MineWords = None, json: Json = False) -> int:
    """List the threads, the one with the latest message last."""
    return conversation.threads(mouth_of(context, json), words or [])


def receipts(context: typer.Context, words: ReceiptWords = None, json: Json = False) -> int:
    """Print what sessions recorded about a message, or about all that wait and were sent."""
    return conversation.receipts(mouth_of(context, json), words or [])


def sessions(context: typer.Context, words: MineWords = None, json: Json = False) -> int:
    """List the sessions that left a record, with times."""
    return conversation.sessions(mouth_of(context, json), words or [])


def snapshot(
    context: typer.Context,
    words: MineWords = None,
    counts: Annotated[bool, typer.Option("--counts", help="Only the numbers.")] = False,
    session: Session = None,
    json: Json = False,
) -> int:
    """Print one JSON document for a panel: counts, threads, messages, receipts, sessions."""
    return conversation.snapshot(mouth_of(context, json), words or [], counts=counts, session=session)


def search(context: typer.Context, words: SearchWords = None, json: Json = False) -> int:
    """Find the messages that hold all the words, waiting, archived or sent; exit 1 where there are none."""
    return conversation.search(mouth_of(context, json), words or [])


def git(context: typer.Context, json: Json = False) -> int:
    """Print what a bus needs to be carried between machines by git, see docs/git.md."""
    return conversation.git(mouth_of(context, json), context.args)
