"""The commands about hosts, with their options."""

from __future__ import annotations

from typing import Annotated

import typer

from agentmail.cli import hosting
from agentmail.cli.options import NO_WORDS, Json, app, mouth_of

Project = Annotated[
    str | None,
    typer.Option(help="The settings of this project's directory, not of all sessions.", metavar="DIR"),
]


def add() -> None:
    """Hang the commands into the app, in the order in which help shows them."""
    for command in (wire, unwire):
        app.command(context_settings=NO_WORDS)(command)


def wire(
    context: typer.Context,
    project: Project = None,
    wake: Annotated[bool, typer.Option("--wake", help="Also wake idle sessions when mail comes.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change as a diff, and change nothing.")
    ] = False,
    json: Json = False,
) -> int:
    """Put our hooks into Claude Code's settings, and run each once to see that it works."""
    return hosting.wire(mouth_of(context, json), context.args, project=project, wake=wake, dry_run=dry_run)


def unwire(context: typer.Context, project: Project = None, json: Json = False) -> int:
    """Take our hooks out of Claude Code's settings; a file that only `wire` changed is as it was, to the byte."""
    return hosting.unwire(mouth_of(context, json), context.args, project=project)
