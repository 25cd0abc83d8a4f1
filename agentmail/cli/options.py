"""The typer app itself, and the options that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentmail import __version__
from agentmail.cli.grammar import USAGE
from agentmail.cli.mouth import Mouth

app = typer.Typer(
    name="agentmail",
    help="Mail between coding agents on the plain filesystem.",
    epilog="Exit codes: 0 done, 1 not found, 2 refused, 3 unknown identity, 4 done but not confirmed, "
    "75 temporary failure, 124 time is up.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

#: For a command without words: it refuses them itself, in the same text as the plain form.
NO_WORDS = {"allow_extra_args": True}

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
Priority = Annotated[str, typer.Option(help="low, normal or high.", metavar="PRIORITY")]
Kind = Annotated[
    str | None, typer.Option(help="message, handoff, result, blocked, note or knowledge_ref.", metavar="KIND")
]
Evidence = Annotated[
    list[str] | None,
    typer.Option(help="A ref as JSON, see docs/conversations.md; may be repeated.", metavar="JSON"),
]
Cc = Annotated[str | None, typer.Option(help="Who gets it too, a comma list.", metavar="IDS")]
SenderKind = Annotated[
    str | None, typer.Option(help="human, agent or unknown: a mark, no proof.", metavar="KIND")
]
Session = Annotated[
    str | None,
    typer.Option(help="The session that acts; else AGENT_MAIL_SESSION, else the host's.", metavar="S"),
]
BodyFile = Annotated[
    str | None, typer.Option(help="Read the body from a file, - for standard input.", metavar="FILE")
]
Once = Annotated[bool, typer.Option(help="Do not deliver again what was delivered in the last 24 hours.")]


def words(command: str, complete: Callable[[str], list[str]] | None = None) -> Any:
    """The positional words of a command, shown as its usage."""
    return typer.Argument(metavar=USAGE[command] or None, show_default=False, autocompletion=complete)


def mouth_of(context: typer.Context, json: bool = False) -> Mouth:
    """The mouth of this call, told whether it should speak JSON."""
    mouth: Mouth = context.obj
    mouth.json = mouth.json or json
    return mouth


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        typer.echo(f"agentmail {__version__}")
        raise typer.Exit


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
