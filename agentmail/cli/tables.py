"""Outcomes as tables for a person at a terminal; rich is imported here alone, and only then."""

from __future__ import annotations

import os
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentmail.cli.text import age, last_words
from agentmail.core.names import printable

COLOURS = {"high": "bold red", "low": "dim", "normal": ""}


def for_people(command: str, outcome: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> Iterable[str]:
    """The outcome as a person likes it; commands without a table print their plain lines."""
    table = TABLES.get(command)
    return lines() if table is None else table(outcome)


def checked(outcome: Mapping[str, Any]) -> Iterator[str]:
    """What waits, as a table."""
    if not outcome["count"]:
        yield f"{outcome['identity']}: no mail ({printable(outcome['path'])})"
        return
    table = _table("message", "from", "priority", "age", "size", "subject")
    for message in outcome["messages"]:
        subject = Text(printable(message["subject"]) or "(no subject)")
        if message["flags"]:
            subject.append(f"  {', '.join(message['flags'])}", style="yellow")
        table.add_row(
            Text(printable(message["id"])),
            Text(printable(message["from"]) or "?"),
            Text(message["priority"], style=COLOURS[message["priority"]]),
            Text(age(message["age"])),
            Text(size(message["size"])),
            subject,
        )
    title = f"{outcome['identity']}: {outcome['count']} waiting, oldest first ({printable(outcome['path'])})"
    yield from _rendered(title, table)
    yield from last_words(outcome)


def roster(outcome: Mapping[str, Any]) -> Iterator[str]:
    """Who is registered, as a table."""
    table = _table("identity", "workdir", "responsibility", "")
    for row in outcome["identities"]:
        mark = "" if row["row"] and row["mailbox"] else "no row" if not row["row"] else "no mailbox"
        table.add_row(
            Text(row["id"], style="bold"),
            Text(printable(row["workdir"])),
            Text(printable(row["responsibility"])),
            Text(mark, style="yellow"),
        )
    yield from _rendered(printable(outcome["path"]), table)


def diagnosed(outcome: Mapping[str, Any]) -> Iterator[str]:
    """What was found, as a table."""
    table = _table("", "where", "what", "fix")
    for finding in outcome["findings"]:
        style = "red" if finding["level"] == "problem" and not finding["fixed"] else "dim"
        table.add_row(
            Text("fixed" if finding["fixed"] else finding["level"], style=style),
            Text(printable(finding["subject"])),
            Text(printable(finding["what"])),
            Text(printable(finding["fix"])),
        )
    problems = sum(1 for f in outcome["findings"] if f["level"] == "problem" and not f["fixed"])
    title = f"{printable(outcome['path'])}: {problems or 'no'} problem{'' if problems == 1 else 's'}"
    yield from _rendered(title, table if outcome["findings"] else None)


TABLES = {"check": checked, "roster": roster, "doctor": diagnosed}


def with_bar(listing: list[T]) -> Iterable[T]:
    """The listing as it is walked, with a bar on standard error that goes away at the end."""
    from rich.progress import track

    return track(listing, description="reading", console=Console(stderr=True), transient=True)


def size(count: int) -> str:
    """A number of bytes in its largest unit."""
    for unit, length in (("M", 1 << 20), ("K", 1 << 10)):
        if count >= length:
            return f"{count / length:.1f}{unit}"
    return f"{count}B"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        # Ids are there to be copied: the subject gives way, never the id.
        whole = heading in ("message", "from", "priority", "age", "size")
        table.add_column(heading, overflow="ignore" if whole else "fold", no_wrap=whole)
    return table


def _rendered(title: str, table: Table | None) -> Iterator[str]:
    """The table as lines; colour only where the terminal has it and NO_COLOR is not set."""
    buffer = StringIO()
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", None)
    width = max(_width(), _least_width(table))
    console = Console(
        file=buffer, force_terminal=colour, no_color=not colour, highlight=False, markup=False, width=width
    )
    yield title
    if table is not None:
        console.print(table)
        yield buffer.getvalue().removesuffix("\n")


def _least_width(table: Table | None) -> int:
    """The width below which rich would cut what has to stay whole; a narrower terminal folds the line itself."""
    whole = [column for column in table.columns if column.no_wrap] if table is not None else []
    return (
        sum(2 + max(cell_len(str(cell)) for cell in (column.header, *column.cells)) for column in whole) + 20
    )


def _width() -> int:
    try:
        return max(60, os.get_terminal_size(1).columns)
    except OSError:
        return 100


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    T = TypeVar("T")
