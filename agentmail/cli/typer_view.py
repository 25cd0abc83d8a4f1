"""Completion by typer, from the same grammars that the plain parser goes by. A call through it does the same."""

from __future__ import annotations

import inspect
import io
from contextlib import redirect_stdout
from functools import cache
from typing import Annotated, Any

import typer

from agentmail import __version__
from agentmail.cli.commands import Command
from agentmail.cli.completion import identities, waiting_ids
from agentmail.cli.help import served, summary
from agentmail.cli.parse import FLAG, LIST, Grammar, flag_of
from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.parameters import help_of, metavar

#: click's own errors. Why this way: typer brings its click along under a private name, and has done so
#: in some versions only; the public subclass leads to the bases in all of them.
USAGE_ERROR: Any = typer.BadParameter.__mro__[2]


def run(context: Context, argv: list[str]) -> int:
    """Run a call through typer; usage errors become errors of ours."""
    try:
        with redirect_stdout(HelpText(context.output)):
            result = command().main(
                args=argv or ["--help"], prog_name="agentmail", standalone_mode=False, obj=context
            )
    except typer.Abort:
        return 130
    except USAGE_ERROR as error:
        where = error.ctx.command_path if getattr(error, "ctx", None) else "agentmail"
        context.json = context.json or "--json" in argv[1:]
        dashed = any(word[:1] == "-" for word in argv)
        raise Refused(
            names.printable(error.format_message()[:300]).rstrip("."),
            names.NOTHING_CHANGED,
            f"see `{where} -h`" + ("; words that begin with a dash come after --" if dashed else ""),
        ) from None
    return result if isinstance(result, int) else 0


@cache
def command() -> Any:
    """The whole command line as click has it: every verb of the catalogue, in its order. Built once."""
    app = typer.Typer(
        name="agentmail",
        help="Mail between coding agents on the plain filesystem.",
        epilog="Exit codes: 0 done, 1 not found, 2 refused, 3 unknown identity, 4 done but not confirmed, "
        "75 temporary failure, 124 time is up.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(_root)
    for name in VERBS:
        made = Command(name)
        # A command without words refuses words itself, in the same text as the plain parser.
        settings = {} if made.grammar.words else {"allow_extra_args": True}
        app.command(name, help=summary(made), context_settings=settings)(_callback(made))
    for name, line in served().items():
        # Only completion comes here: the call itself never does.
        app.command(name, help=line)(lambda: None)
    return typer.main.get_command(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentmail {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Mail between coding agents on the plain filesystem."""


def _callback(one: Command) -> Any:
    """A function with the signature that typer reads: the words as one list, and every option."""

    def call(typer_context: typer.Context, **given: Any) -> int:
        words = (given.pop("words", None) or []) if one.grammar.words else typer_context.args
        options = {name: value for name, value in given.items() if value not in (None, False, [])}
        return one.run(typer_context.obj, words, options)

    parameters = [_parameter("typer_context", typer.Context)]
    if one.grammar.words:
        parameters.append(_parameter("words", _words(one.grammar), None))
    for name, kind in one.grammar.options.items():
        parameters.append(_parameter(name, *_option(one.grammar, name, kind)))
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _words(grammar: Grammar) -> Any:
    first = [word.name for word in grammar.words[:2]]
    complete = waiting_ids if first[1:2] in (["id"], ["ids"], ["thread"]) else identities
    if first[0] not in ("identity", "sender") or grammar.command == "register":
        complete = None  # type: ignore[assignment]
    return Annotated[
        list[str] | None,
        typer.Argument(metavar=grammar.usage, show_default=False, autocompletion=complete),
    ]


def _option(grammar: Grammar, name: str, kind: str) -> tuple[Any, Any]:
    text = help_of(grammar.command, name)
    if kind == FLAG:
        return Annotated[bool, typer.Option(flag_of(name), help=text)], False
    shape: Any = list[str] | None if kind == LIST else str | None
    default = grammar.defaults.get(name)
    default = default if isinstance(default, str) and default else None
    shown = typer.Option(flag_of(name), help=text, metavar=metavar(grammar.command, name))
    return Annotated[shape, shown], default


class HelpText(io.TextIOBase):
    """Standard output for the help, which typer prints itself: the same descriptor, the same way to fail."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, output: Output) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Write at once; ReportFailed where it is not taken."""
        self._output.raw(text.encode(self.encoding, self.errors))
        return len(text)

    def isatty(self) -> bool:
        """True where a person sees it."""
        return self._output.is_terminal()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context, Output
