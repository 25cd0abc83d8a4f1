"""Write docs/reference.md from the program: its commands, their options, and the shapes of `--json`.

python tests/docs/reference.py           write it
python tests/docs/reference.py --check   exit 1 if the file differs from what would be written
"""

from __future__ import annotations

import inspect
import sys
import typing
from pathlib import Path
from typing import Any

from agentmail import message as format_
from agentmail.cli.commands import Command
from agentmail.cli.help import served, summary
from agentmail.cli.parse import FLAG, flag_of
from agentmail.core import errors
from agentmail.verbs import check
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.parameters import help_of, metavar
from agentmail.verbs.shapes import outcome_of
from agentmail.views import sender_kinds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference.md"

HEAD = """# Reference

Written by `python tests/docs/reference.py` from the program; do not edit it by hand.

With `--json` every answer is one object on standard output, and its first key is `ok`. Look at it before any other key:

- `"ok": true`: the call did what it says.
- `"ok": false`: an error, or a part of what was asked for failed, or `doctor` found a problem. An error has no other
  keys of the answer: no `messages` there is not an empty inbox.

The answer is on standard output, diagnostics are on standard error. Every error is one line: what happened; what is now
true; what to do next. With `--json` the error is also an object on standard output:

| key | value |
|---|---|
| `ok` | `false` |
| `schema` | `agentmail.error.v1` |
| `command` | the command that was called |
| `outcome` | the name of the error, see below |
| `exit` | the exit code |
| `what`, `now`, `next` | the three parts of the line |

Some errors have more keys: `id` of the message, `near` with similar names, `snippet` with the entries to add by hand to
the settings at `path`.
"""


#: The possible values in `flags`.
FLAGS = {
    check.UNREGISTERED: "the identity in `from` is not registered here",
    sender_kinds.MISMATCH: "`sender_kind` claims another kind of sender than the registry says",
    format_.ID_MISMATCH: "the `id` in the header differs from the file's name",
    format_.IMPOSSIBLE_TIME: "the minute in the name does not exist, so its position in the list means nothing",
    check.NOT_FOR_YOU: "neither `to` nor `cc` names this identity",
    check.FUTURE: "the minute in the name is in the future, so the message is last",
    check.ARCHIVED: "the archive also has a message with this id; archiving this one resolves it",
    check.UNRECOGNISED: "the file's name is not the name of a message, so it has no id; `agentmail read` of it shows the command that renames it",
    check.NOT_A_FILE: "a directory, a link or a pipe; it is never opened",
    check.EMPTY: "the file has no bytes",
    check.UNREADABLE_FILE: "the disk returned an error",
    format_.NO_HEADER: "it does not begin with a header; all of it is body",
    format_.UNREADABLE: "its header has no end, is too long or is empty; all of it is body",
    format_.IRREGULAR: "its header is not the plain YAML that agentmail writes, and was read line by line",
    format_.DUPLICATE_KEY: "a duplicate key in the header; the first one counts",
    "damaged": "an archived file that cannot be decompressed or read",
}


def document() -> str:
    """The whole reference."""
    parts = [HEAD, _errors(), _flags(), "# Commands\n"]
    parts += [_command(name) for name in VERBS]
    parts += [f"## {name}\n\n    agentmail {name}\n\n{line}\n" for name, line in served().items()]
    return "\n".join(parts)


def _errors() -> str:
    rows = [
        f"| `{kind.word}` | {kind.exit_code} | {_first_line(kind)} |"
        for kind in vars(errors).values()
        if inspect.isclass(kind)
        and issubclass(kind, errors.AgentMailError)
        and kind is not errors.AgentMailError
    ]
    return "\n".join(["| outcome | exit | means |", "|---|---|---|", *rows, ""])


def _flags() -> str:
    rows = [f"| `{flag}` | {meaning} |" for flag, meaning in FLAGS.items()]
    head = "The `flags` of a message say what is unusual about it:\n\n| flag | means |\n|---|---|"
    return "\n".join([head, *rows, ""])


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]


def _command(name: str) -> str:
    command = Command(name)
    usage = f"    agentmail {name} {command.grammar.usage}".rstrip()
    lines = [f"## {name}\n", f"{usage}\n", f"{summary(command)}\n"]
    for option, kind in command.grammar.options.items():
        value = "" if kind == FLAG else f" {metavar(name, option)}"
        lines.append(f"- `{flag_of(option)}{value}`: {help_of(name, option)}")
    shape = outcome_of(name)
    lines += ["", f"`agentmail.{name}.v1`: {_whole(shape)}", "", _shape(shape)]
    return "\n".join(lines)


def _whole(shape: type) -> str:
    return " ".join((inspect.getdoc(shape) or "").split())


def _shape(shape: type, depth: int = 0) -> str:
    rows = []
    written = typing.get_type_hints(shape, include_extras=True)
    for key, hint in typing.get_type_hints(shape).items():
        inner = _element(hint)
        absent = ", only if it applies" if typing.get_origin(written[key]) is typing.NotRequired else ""
        rows.append(f"{'  ' * depth}- `{key}`: {_type_name(hint)}{absent}")
        if inner is not None:
            rows[-1] += f". {_whole(inner)}"
            rows.append(_shape(inner, depth + 1).rstrip("\n"))
    return "\n".join(rows) + "\n"


def _element(hint: Any) -> type | None:
    """The TypedDict in the type of a list, if there is one."""
    inner = [one for one in (hint, *typing.get_args(hint)) if typing.is_typeddict(one)]
    return inner[0] if inner else None


def _type_name(hint: Any) -> str:
    if typing.is_typeddict(hint):
        return "object"
    arguments = typing.get_args(hint)
    if hint in (int | None, bool | None):
        return "number or null" if hint == int | None else "true or null"
    if typing.get_origin(hint) is dict:
        return "object of text"
    if arguments:
        return (
            "list of objects" if typing.is_typeddict(arguments[0]) else f"list of {_type_name(arguments[0])}s"
        )
    return {str: "text", int: "number", bool: "true or false"}[hint]


def main() -> int:
    """Write the page, or check it with `--check`."""
    text = document()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(
        f"{PAGE.name} differs from what the program says; run python tests/docs/reference.py",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
