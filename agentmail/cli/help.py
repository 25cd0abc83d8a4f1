"""Help as plain text of 80 columns: short, because a model pays for each line, and without a package beside ours."""

from __future__ import annotations

import inspect

from agentmail.cli.commands import Command
from agentmail.cli.interfaces import INTERFACES
from agentmail.cli.parse import FLAG, flag_of
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.parameters import help_of, metavar

WIDTH = 80
PURPOSE = "Mail between coding agents on the plain filesystem."
TEXT_COMES = "The text comes on standard input:"
EXIT_CODES = (
    "Exit codes: 0 done, 1 not found, 2 refused, 3 unknown identity, 4 done but not",
    "confirmed, 75 temporary failure, 124 time is up.",
)


def summary(command: Command) -> str:
    """What a command does, in a line: the first of its verb's docstring."""
    return (inspect.getdoc(command.verb) or "").splitlines()[0]


def served() -> dict[str, str]:
    """The interfaces that a command starts, with what each does in a line."""
    return {name: line for name, (_, line, _) in INTERFACES.items()}


def overview() -> list[str]:
    """The commands, one line each."""
    wide = max(map(len, VERBS)) + 2
    return [
        "Usage: agentmail <command> [words] [options]; agentmail <command> -h explains one.",
        PURPOSE,
        f"{TEXT_COMES} agentmail send ME OTHER short-slug 'subject' <<'EOF'",
        "",
        *(f"  {name:{wide}}{_in_short(summary(Command(name)), WIDTH - wide - 2)}" for name in VERBS),
        *(f"  {name:{wide}}{_in_short(line, WIDTH - wide - 2)}" for name, line in served().items()),
        "",
        "Options: --json on each command but mcp; --version; --install-completion.",
        *EXIT_CODES,
    ]


def of_command(command: Command) -> list[str]:
    """One command: its words, what it does, its options."""
    lines = [f"Usage: agentmail {command.name} {command.grammar.usage}".rstrip(), *_wrapped(summary(command))]
    if command.grammar.takes_body:
        lines.append(f"{TEXT_COMES} agentmail {command.name} ... <<'EOF'")
    shown = [*_options(command), ("-h, --help", "Show this help.")]
    wide = max(len(flag) for flag, _ in shown) + 2
    for flag, text in shown:
        first, *more = _wrapped(text, WIDTH - wide - 2)
        lines += [f"  {flag:{wide}}{first}", *(" " * (wide + 2) + line for line in more)]
    return lines


def _options(command: Command) -> list[tuple[str, str]]:
    found = []
    for name, kind in command.grammar.options.items():
        value = "" if kind == FLAG else f" {metavar(command.name, name)}"
        default = command.grammar.defaults.get(name)
        given = f" Default: {default}." if isinstance(default, str) and default else ""
        found.append((f"{flag_of(name)}{value}", help_of(command.name, name) + given))
    return found


def _in_short(text: str, width: int) -> str:
    """The first clause of a sentence; of a long one, as many of its parts as fit."""
    for end in (". ", "; ", ": "):
        text = text.partition(end)[0]
    text = text.removesuffix(".")
    while len(text) > width and (", " in text or " " in text):
        text = text.rpartition(", " if ", " in text else " ")[0]
    return text


def _wrapped(text: str, width: int = WIDTH) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip(" ")
    return lines
