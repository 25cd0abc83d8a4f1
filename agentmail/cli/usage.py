"""Calls that are no command: help, the version, and usage errors that show the right call. Needs no package.

Completion alone is typer's.
"""

from __future__ import annotations

from agentmail.cli.commands import Command
from agentmail.cli.interfaces import INTERFACES, serve_until_end
from agentmail.cli.parse import FLAG, REST, flag_of
from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.parameters import LISTED_BY, metavar
from agentmail.verbs.whole_call import shell_word

HELP = ("-h", "--help")
COMPLETION = ("--install-completion", "--show-completion")


def explain(context: Context, argv: list[str]) -> int:
    """Print the help or the version that is asked for, or complete a line; else Refused with the right call."""
    first, rest = (argv[0], argv[1:]) if argv else (HELP[0], [])
    if "_AGENTMAIL_COMPLETE" in context.environment.variables or first in COMPLETION:
        return _complete(context, argv)
    if first in ("--version", "version", "-V", "-v"):
        from agentmail import __version__

        context.output.answer([f"agentmail {__version__}"])
        return 0
    if first in (*HELP, "help"):
        return _help(context, *rest[:1])
    context.json = context.json or "--json" in rest
    if first not in VERBS:
        raise _unknown_command(context, first, rest)
    if _asks_for_help(rest):
        return _help(context, first)
    raise _bad_option(Command(first), rest)


def _help(context: Context, name: str = "") -> int:
    from agentmail.cli.help import of_command, overview
    from agentmail.cli.wrong_calls.guesses import COMMANDS

    if name in INTERFACES:
        return serve_until_end(context, [name, HELP[0]])
    name = name if name in VERBS else COMMANDS.get(name, name)
    if name and name[0] != "-" and name not in VERBS:
        raise _unknown_command(context, name, [])
    context.output.answer(of_command(Command(name)) if name in VERBS else overview())
    return 0


def _asks_for_help(rest: list[str]) -> bool:
    options = rest[: rest.index("--")] if "--" in rest else rest
    return any(word in HELP for word in options)


def _complete(context: Context, argv: list[str]) -> int:
    try:
        from agentmail.cli.typer_view import run
    except ModuleNotFoundError as error:
        from agentmail.cli.installed import missing

        raise missing(error) from None
    return run(context, argv)


def _unknown_command(context: Context, name: str, rest: list[str]) -> Refused:
    if name.startswith("-"):
        what = f"agentmail has no option {names.quoted(name)}"
        return Refused(what, names.NOTHING_CHANGED, _options_last(name, rest))
    what = f"agentmail has no command {names.quoted(name)}"
    return Refused(what, names.NOTHING_CHANGED, _instead(context, name.lower().replace("_", "-"), rest))


def _options_last(option: str, rest: list[str]) -> str:
    """The call with the option behind the command, where the command has it."""
    known = rest[:1] and rest[0] in VERBS and Command(rest[0]).grammar.parse([*rest[1:], option]) is not None
    if not known:
        return "`agentmail -h` lists the commands"
    words = [names.printable(word) for word in (*rest, *([option] if option != "--" else []))]
    return f"options come after the command: `{' '.join(map(shell_word, ['agentmail', *words]))}`"


def _instead(context: Context, name: str, rest: list[str]) -> str:
    """What does what a guessed command means, as a call; of a slip of the fingers, the nearest command."""
    from agentmail.cli.wrong_calls.guessed_call import behind_a_word, call_of, joined, other_than_a_command
    from agentmail.cli.wrong_calls.guesses import ALSO, COMMANDS, INSTEAD

    name, rest = joined(name, rest)
    found = [name, *rest] if name in VERBS else behind_a_word(context, name, rest)
    if found:
        return f"use {call_of(context, found[0], found[1:])}"
    other = INSTEAD.get(name) or other_than_a_command(context, name, rest)
    if other:
        return other
    if name in COMMANDS:
        also = f" or `agentmail {ALSO[name]}`" if name in ALSO else ""
        return f"use {call_of(context, COMMANDS[name], rest)}{also}"
    near = [one for one in names.near(name, VERBS) if one[0] == name[:1]]
    if near and len(name) > 2:
        return f"use {call_of(context, near[0], rest)}"
    return "`agentmail -h` lists the commands"


def _bad_option(command: Command, rest: list[str]) -> Refused:
    """The first option of a call that is not understood, and the usage with the option as it is."""
    from agentmail.cli.wrong_calls.guesses import OPTIONS, nearest_option
    from agentmail.cli.wrong_calls.misuse import SENDING, without_unknown_options

    grammar = command.grammar
    arg = grammar.first_not_understood(rest)
    flag, equals, _ = arg.partition("=")
    name = grammar.option_of(flag)
    usage = f"usage: agentmail {command.name} {grammar.usage}".rstrip()
    if name:
        return _bad_value(command, flag, name, usage)
    what = f"{command.name} has no option {names.quoted(flag if equals else arg)}"
    if command.name in SENDING and flag in OPTIONS:
        return Refused(what, names.NOTHING_CHANGED, "")
    near = nearest_option(flag, [flag_of(one) for one in grammar.options])
    hint = f"did you mean {near}? " if near else ""
    if command.name in SENDING:
        return Refused(
            what,
            names.NOTHING_CHANGED,
            f"{hint}`agentmail {command.name} -h` lists the options{_dashed(grammar)}",
        )
    parts = (f"{hint}{usage}{_options_of(command)}{_dashed(grammar)}", without_unknown_options(grammar, rest))
    return Refused(what, names.NOTHING_CHANGED, "; ".join(filter(None, parts)))


def _bad_value(command: Command, flag: str, name: str, usage: str) -> Refused:
    """An option that lacks its value, with the command that lists what it may be; or a flag that got one."""
    if command.grammar.options[name] == FLAG:
        return Refused(f"{flag} takes no value", names.NOTHING_CHANGED, f"{usage} {flag}")
    parts = (f"{usage} {flag} {metavar(command.name, name)}", LISTED_BY.get(flag, ""))
    return Refused(f"{flag} has no value", names.NOTHING_CHANGED, "; ".join(filter(None, parts)))


def _options_of(command: Command) -> str:
    """The options as a usage line shows them."""
    grammar = command.grammar
    shown = (
        flag_of(name) if kind == FLAG else f"{flag_of(name)} {metavar(command.name, name)}"
        for name, kind in grammar.options.items()
    )
    return "".join(f" [{one}]" for one in shown)


def _dashed(grammar: Grammar) -> str:
    """How to write a word with a dash in front, where the command takes words of any kind."""
    free = grammar.words and grammar.words[-1].kind == REST
    return "; words that begin with a dash come after --" if free else ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.cli.parse import Grammar
