"""Outcomes as tables for a person at a terminal; rich is imported here alone, and only then."""

from __future__ import annotations

import os
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

COLOURS = {"high": "bold red", "low": "dim", "normal": ""}


def with_bar(listing: list[T], doing: str) -> Iterable[T]:
    """The listing as it is walked, with a bar on standard error that goes away at the end."""
    from rich.progress import track

    return track(listing, description=doing, console=Console(stderr=True), transient=True)


def size(count: int) -> str:
    """A number of bytes in its largest unit."""
    for unit, length in (("M", 1 << 20), ("K", 1 << 10)):
        if count >= length:
            return f"{count / length:.1f}{unit}"
    return f"{count}B"


def new_table(*headings: str) -> Table:
    """A table without lines; an id, a sender, an age or a size is never folded."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        # Ids are there to be copied: the subject gives way, never the id.
        whole = heading in ("message", "place", "from", "priority", "age", "size")
        table.add_column(heading, overflow="ignore" if whole else "fold", no_wrap=whole)
    return table


def rendered(title: str, table: Table | None) -> Iterator[str]:
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
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    T = TypeVar("T")
