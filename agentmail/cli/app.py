"""The typer app: options, help and shell completion on top of the commands; the same functions behind it."""

from __future__ import annotations

from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from agentmail.cli import commands, conversation_app, hosting_app
from agentmail.cli.completion import identities, waiting_ids
from agentmail.cli.options import (
    NO_WORDS,
    BodyFile,
    Cc,
    Evidence,
    Json,
    Kind,
    Once,
    Priority,
    SenderKind,
    Session,
    app,
    mouth_of,
    show_version,
    words,
)
from agentmail.cli.output import HelpText
from agentmail.core import names
from agentmail.core.errors import Refused

#: click's own errors. Why this way: typer brings its click along under a private name, and has done so
#: in some versions only; the public subclass leads to the bases in all of them.
USAGE_ERROR: Any = typer.BadParameter.__mro__[2]

RegisterWords = Annotated[list[str] | None, words("register")]
SendWords = Annotated[list[str] | None, words("send", identities)]
CheckWords = Annotated[list[str] | None, words("check", identities)]
ReadWords = Annotated[list[str] | None, words("read", waiting_ids)]
ReplyWords = Annotated[list[str] | None, words("reply", waiting_ids)]
ArchiveWords = Annotated[list[str] | None, words("archive", waiting_ids)]
UnarchiveWords = Annotated[list[str] | None, words("unarchive", waiting_ids)]
PruneWords = Annotated[list[str] | None, words("prune", identities)]


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Mail between coding agents on the plain filesystem."""


@app.command()
def register(context: typer.Context, words: RegisterWords = None, json: Json = False) -> int:
    """Make an identity, its mailbox and its row, or change the row; - as workdir for none on this machine."""
    return commands.register(mouth_of(context, json), words or [])


@app.command()
def send(
    context: typer.Context,
    words: SendWords = None,
    re: Annotated[
        str | None, typer.Option(help="The message this answers; its thread goes on.", metavar="ID")
    ] = None,
    thread: Annotated[
        str | None, typer.Option(help="The thread; a new one is named by its first id.", metavar="T")
    ] = None,
    priority: Priority = "normal",
    kind: Kind = None,
    cc: Cc = None,
    evidence: Evidence = None,
    sender_kind: SenderKind = None,
    session: Session = None,
    body_file: BodyFile = None,
    once: Once = False,
    json: Json = False,
) -> int:
    """Deliver a message to one, a comma list or @all; the body comes on standard input. Prints the message id."""
    return commands.send(
        mouth_of(context, json),
        words or [],
        re=re,
        thread=thread,
        priority=priority,
        kind=kind,
        cc=cc,
        evidence=evidence or (),
        sender_kind=sender_kind,
        session=session,
        body_file=body_file,
        once=once,
    )


@app.command()
def check(
    context: typer.Context, words: CheckWords = None, session: Session = None, json: Json = False
) -> int:
    """List everything that waits, oldest first; with a session, record that it was shown."""
    return commands.check(mouth_of(context, json), words or [], session=session)


@app.command()
def read(
    context: typer.Context,
    words: ReadWords = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the file's own bytes.")] = False,
    session: Session = None,
    json: Json = False,
) -> int:
    """Print one message: waiting, archived or sent. Moves nothing; with a session, records that it was shown."""
    return commands.read(mouth_of(context, json), words or [], raw=raw, session=session)


@app.command()
def reply(
    context: typer.Context,
    words: ReplyWords = None,
    priority: Priority = "normal",
    kind: Kind = None,
    cc: Cc = None,
    evidence: Evidence = None,
    sender_kind: SenderKind = None,
    session: Session = None,
    body_file: BodyFile = None,
    once: Once = False,
    json: Json = False,
) -> int:
    """Answer a message, or the latest of a thread: to its sender, in its thread."""
    return commands.reply(
        mouth_of(context, json),
        words or [],
        priority=priority,
        kind=kind,
        cc=cc,
        evidence=evidence or (),
        sender_kind=sender_kind,
        session=session,
        body_file=body_file,
        once=once,
    )


@app.command()
def archive(
    context: typer.Context,
    words: ArchiveWords = None,
    thread: Annotated[
        list[str] | None,
        typer.Option(
            help="What waits of a thread, also where a message has that name; may be repeated.", metavar="T"
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Move handled messages, or what waits of a thread, to the archive, compressed."""
    return commands.archive(mouth_of(context, json), words or [], threads=thread or ())


@app.command()
def unarchive(context: typer.Context, words: UnarchiveWords = None, json: Json = False) -> int:
    """Move a message back to the inbox, the same bytes."""
    return commands.unarchive(mouth_of(context, json), words or [])


@app.command()
def prune(
    context: typer.Context,
    words: PruneWords = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    json: Json = False,
) -> int:
    """Remove archived and sent messages older than some days (60)."""
    return commands.prune(mouth_of(context, json), words or [], dry_run=dry_run)


@app.command(context_settings=NO_WORDS)
def roster(context: typer.Context, json: Json = False) -> int:
    """Print who is registered, where and for what."""
    return commands.roster(mouth_of(context, json), context.args)


@app.command(context_settings=NO_WORDS)
def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes.")] = False,
    json: Json = False,
) -> int:
    """Find what is wrong; every finding says how to fix it."""
    return commands.doctor(mouth_of(context, json), context.args, fix=fix)


@app.command(context_settings=NO_WORDS)
def demo(context: typer.Context, json: Json = False) -> int:
    """Tell the whole story in a throw-away bus: two identities, a message, an answer, the tree."""
    return commands.demo(mouth_of(context, json), context.args)


conversation_app.add()
hosting_app.add()

#: Built once: a program that calls more than once pays for one.
COMMAND: Any = typer.main.get_command(app)


def run(mouth: Mouth, argv: list[str]) -> int:
    """Run a call through typer; usage errors become errors of ours."""
    try:
        with redirect_stdout(HelpText(mouth.output)):
            result = COMMAND.main(
                args=argv or ["--help"], prog_name="agentmail", standalone_mode=False, obj=mouth
            )
    except typer.Abort:
        return 130
    except USAGE_ERROR as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "agentmail"
        mouth.json = mouth.json or "--json" in argv[1:]
        dashed = any(word[:1] == "-" for word in argv)
        raise Refused(
            names.printable(error.format_message()[:300]).rstrip("."),
            names.NOTHING_CHANGED,
            f"see `{where} -h`" + ("; words that begin with a dash come after --" if dashed else ""),
        ) from None
    return result if isinstance(result, int) else 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.mouth import Mouth
