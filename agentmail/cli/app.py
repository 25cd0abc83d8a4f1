"""The typer app: options, help and shell completion on top of the commands; the same functions behind it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentmail import __version__
from agentmail.cli import commands
from agentmail.cli.completion import identities, waiting_ids
from agentmail.cli.mouth import Mouth
from agentmail.core import names
from agentmail.core.errors import Refused

app = typer.Typer(
    name="agentmail",
    help="Mail between coding agents on the plain filesystem.",
    epilog="Exit codes: 0 done, 1 not found, 2 refused, 3 unknown identity, 4 done but not confirmed, "
    "75 temporary failure.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

#: click's own errors. Why this way: typer brings its click along under a private name, and has done so
#: in some versions only; the public subclass leads to the bases in all of them.
USAGE_ERROR: Any = typer.BadParameter.__mro__[2]

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
Priority = Annotated[str, typer.Option(help="low, normal or high.", metavar="PRIORITY")]
BodyFile = Annotated[
    str | None, typer.Option(help="Read the body from a file, - for standard input.", metavar="FILE")
]
Once = Annotated[bool, typer.Option(help="Do not deliver again what was delivered in the last 24 hours.")]


def words(usage: str, complete: Callable[[str], list[str]] | None = None) -> Any:
    """The positional words of a command, shown as its usage."""
    return typer.Argument(metavar=usage or None, show_default=False, autocompletion=complete)


RegisterWords = Annotated[list[str] | None, words(commands.USAGE["register"])]
SendWords = Annotated[list[str] | None, words(commands.USAGE["send"], identities)]
CheckWords = Annotated[list[str] | None, words(commands.USAGE["check"], identities)]
ReadWords = Annotated[list[str] | None, words(commands.USAGE["read"], waiting_ids)]
ReplyWords = Annotated[list[str] | None, words(commands.USAGE["reply"], waiting_ids)]
ArchiveWords = Annotated[list[str] | None, words(commands.USAGE["archive"], waiting_ids)]
UnarchiveWords = Annotated[list[str] | None, words(commands.USAGE["unarchive"], waiting_ids)]
PruneWords = Annotated[list[str] | None, words(commands.USAGE["prune"], identities)]


def _mouth(context: typer.Context, json: bool) -> Mouth:
    mouth: Mouth = context.obj
    mouth.json = json
    return mouth


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentmail {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Mail between coding agents on the plain filesystem."""


@app.command()
def register(context: typer.Context, words: RegisterWords = None, json: Json = False) -> int:
    """Make an identity, its mailbox and its row, or change the row; - as workdir for none on this machine."""
    return commands.register(_mouth(context, json), words or [])


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
    body_file: BodyFile = None,
    once: Once = False,
    json: Json = False,
) -> int:
    """Deliver a message; the body comes on standard input. Prints the message id."""
    return commands.send(
        _mouth(context, json),
        words or [],
        re=re,
        thread=thread,
        priority=priority,
        body_file=body_file,
        once=once,
    )


@app.command()
def check(context: typer.Context, words: CheckWords = None, json: Json = False) -> int:
    """List everything that waits, oldest first."""
    return commands.check(_mouth(context, json), words or [])


@app.command()
def read(
    context: typer.Context,
    words: ReadWords = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the file's own bytes.")] = False,
    json: Json = False,
) -> int:
    """Print one message: waiting, archived or sent. Changes nothing."""
    return commands.read(_mouth(context, json), words or [], raw=raw)


@app.command()
def reply(
    context: typer.Context,
    words: ReplyWords = None,
    priority: Priority = "normal",
    body_file: BodyFile = None,
    once: Once = False,
    json: Json = False,
) -> int:
    """Answer a message: to its sender, in its thread."""
    return commands.reply(
        _mouth(context, json), words or [], priority=priority, body_file=body_file, once=once
    )


@app.command()
def archive(context: typer.Context, words: ArchiveWords = None, json: Json = False) -> int:
    """Move handled messages to the archive, compressed. That is the acknowledgement."""
    return commands.archive(_mouth(context, json), words or [])


@app.command()
def unarchive(context: typer.Context, words: UnarchiveWords = None, json: Json = False) -> int:
    """Move a message back to the inbox, the same bytes."""
    return commands.unarchive(_mouth(context, json), words or [])


@app.command()
def prune(
    context: typer.Context,
    words: PruneWords = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    json: Json = False,
) -> int:
    """Remove archived and sent messages older than some days (60)."""
    return commands.prune(_mouth(context, json), words or [], dry_run=dry_run)


@app.command()
def roster(context: typer.Context, json: Json = False) -> int:
    """Print who is registered, where and for what."""
    return commands.roster(_mouth(context, json), [])


@app.command()
def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe to mend.")] = False,
    json: Json = False,
) -> int:
    """Look for what is wrong; every finding comes with its mend."""
    return commands.doctor(_mouth(context, json), [], fix=fix)


@app.command()
def demo(context: typer.Context, json: Json = False) -> int:
    """Tell the whole story in a throw-away bus: two identities, a message, an answer, the tree."""
    return commands.demo(_mouth(context, json), [])


def run(mouth: Mouth, argv: list[str]) -> int:
    """Run a call through typer; usage errors become errors of ours."""
    command = typer.main.get_command(app)
    try:
        result = command.main(
            args=argv or ["--help"], prog_name="agentmail", standalone_mode=False, obj=mouth
        )
    except typer.Abort:
        return 130
    except USAGE_ERROR as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "agentmail"
        mouth.json = mouth.json or "--json" in argv
        raise Refused(
            names.printable(error.format_message()[:300]).rstrip("."),
            names.NOTHING_CHANGED,
            f"see `{where} -h`; words that begin with a dash come after --",
        ) from None
    return result if isinstance(result, int) else 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
