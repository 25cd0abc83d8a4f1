"""docs/reference.md, written from the program itself: its commands, their options, the shapes of `--json`.

python tests/docs/reference.py           write it
python tests/docs/reference.py --check   exit 1 where it is not what would be written
"""

from __future__ import annotations

import inspect
import sys
import typing
from pathlib import Path
from typing import Any

import typer

from agentmail import message as format_
from agentmail.cli import app as _commands  # noqa: F401 - hangs the commands into the app
from agentmail.cli.grammar import USAGE
from agentmail.cli.options import app
from agentmail.core import errors
from agentmail.verbs import check, conversation_outcomes, outcomes

PLACE = Path(__file__).resolve().parents[2] / "docs" / "reference.md"

#: What each command prints under `agentmail.<command>.v1`.
SHAPES: dict[str, type] = {
    "register": outcomes.Registered,
    "send": outcomes.Delivered,
    "check": outcomes.Checked,
    "read": outcomes.Opened,
    "reply": outcomes.Delivered,
    "archive": outcomes.Archived,
    "unarchive": outcomes.Unarchived,
    "prune": outcomes.Pruned,
    "roster": outcomes.Roster,
    "doctor": outcomes.Diagnosis,
    "demo": outcomes.Demo,
    "delegate": outcomes.Delivered,
    "wait": conversation_outcomes.Waited,
    "ack": conversation_outcomes.Acknowledged,
    "thread": conversation_outcomes.Thread,
    "threads": conversation_outcomes.Threads,
    "receipts": conversation_outcomes.ReceiptList,
    "sessions": conversation_outcomes.Sessions,
    "snapshot": conversation_outcomes.Snapshot,
    "search": conversation_outcomes.Found,
    "git": conversation_outcomes.GitFiles,
    "wire": outcomes.Wired,
    "unwire": outcomes.Unwired,
}

HEAD = """# Reference

Written by `python tests/docs/reference.py` from the program itself; do not edit by hand.

A call of words alone (`agentmail check beta`) starts fastest; options load the full command line.
The answer is on standard output, talk on standard error. Every error is one line: what happened; what is now true;
what to do next. With `--json` it is also an object on standard output:

| key | value |
|---|---|
| `schema` | `agentmail.error.v1` |
| `command` | the command that was called |
| `outcome` | the error's word, see below |
| `exit` | the exit code |
| `what`, `now`, `next` | the three parts of the line |

Some errors add keys: `id` where a message is concerned, `near` with the names that may have been meant, `snippet` with
the entries to add to the settings at `path` by hand.
"""


#: What `flags` may hold.
FLAGS = {
    check.UNREGISTERED: "`from` names nobody who is registered here",
    check.ID_MISMATCH: "the header's `id` is not the file's name",
    check.NOT_FOR_YOU: "neither `to` nor `cc` names this identity",
    check.FUTURE: "the name's minute is still to come, so it stands last",
    check.ARCHIVED: "the archive has a message of this id too; to archive it again ends that",
    check.UNRECOGNISED: "the file's name is not a message's, so no id names it; see `agentmail doctor`",
    check.NOT_A_FILE: "a directory, a link, a pipe: never opened",
    check.EMPTY: "there is no byte in it",
    check.UNREADABLE_FILE: "the disk did not give it",
    format_.NO_HEADER: "it begins with no header; all of it is body",
    format_.UNREADABLE: "its header has no end, is too long or says nothing; all of it is body",
    format_.IRREGULAR: "its header is not the plain YAML that we write, and was read line by line",
    format_.DUPLICATE_KEY: "a key stands twice in the header, and the first counts",
    "damaged": "an archived file that cannot be decompressed, or what could not be read",
}


def document() -> str:
    """The whole reference."""
    parts = [HEAD, _errors(), _flags(), "# Commands\n"]
    parts += [_command(name) for name in USAGE]
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
    head = "What is odd about a message stands in its `flags`:\n\n| flag | means |\n|---|---|"
    return "\n".join([head, *rows, ""])


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]


def _command(name: str) -> str:
    command: Any = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    lines = [f"## {name}\n", f"    agentmail {name} {USAGE[name]}".rstrip() + "\n", f"{command.help}\n"]
    options = [one for one in command.params if one.param_type_name == "option"]
    for option in options:
        value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
        lines.append(f"- `{', '.join(option.opts)}{value}`: {option.help}")
    lines += ["", f"`agentmail.{name}.v1`: {_whole(SHAPES[name])}", "", _shape(SHAPES[name])]
    return "\n".join(lines)


def _whole(shape: type) -> str:
    return " ".join((inspect.getdoc(shape) or "").split())


def _shape(shape: type, depth: int = 0) -> str:
    rows = []
    written = typing.get_type_hints(shape, include_extras=True)
    for key, hint in typing.get_type_hints(shape).items():
        inner = _element(hint)
        absent = ", only where it applies" if typing.get_origin(written[key]) is typing.NotRequired else ""
        rows.append(f"{'  ' * depth}- `{key}`: {_type_name(hint)}{absent}")
        if inner is not None:
            rows[-1] += f". {_whole(inner)}"
            rows.append(_shape(inner, depth + 1).rstrip("\n"))
    return "\n".join(rows) + "\n"


def _element(hint: Any) -> type | None:
    """The TypedDict in a list's type, if there is one."""
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
    """Write or check."""
    text = document()
    if "--check" not in sys.argv[1:]:
        PLACE.write_text(text, encoding="utf-8")
        return 0
    if PLACE.exists() and PLACE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PLACE.name} is not what the program says; run python tests/docs/reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
