"""What `roster` prints."""

from __future__ import annotations

from agentmail.core.errors import TryAgain
from agentmail.core.names import printable


def lines(outcome: RosterOutcome) -> Iterator[str]:
    """A line an identity: id, workdir, responsibility, marks."""
    for row in outcome["identities"]:
        mark = f"  [{marks}]" if (marks := _marks(row)) else ""
        yield f"{row['id']}  {printable(row['workdir']) or '-'}  {printable(row['responsibility']) or '-'}{mark}"
    if not outcome["identities"]:
        yield f"nobody is registered ({printable(outcome['path'])})"


def _marks(row: RosterRow) -> str:
    """The kind of a person or a program, and what is missing."""
    missing = "no row" if not row["row"] else "no mailbox" if not row["mailbox"] else ""
    return ", ".join(filter(None, (row["kind"], missing)))


def table(outcome: RosterOutcome) -> Iterator[str]:
    """Who is registered, as a table."""
    from rich.text import Text

    from agentmail.cli import tables

    table = tables.new_table("identity", "workdir", "responsibility", "")
    for row in outcome["identities"]:
        table.add_row(
            Text(row["id"], style="bold"),
            Text(printable(row["workdir"])),
            Text(printable(row["responsibility"])),
            Text(_marks(row), style="yellow"),
        )
    yield from tables.rendered(printable(outcome["path"]), table)


def finish(_context: Context, outcome: RosterOutcome) -> int:
    """A registry that could not be read is an error, after the mailboxes are listed."""
    if outcome["problem"]:
        raise TryAgain(outcome["problem"], "the mailboxes are listed anyway", "see `agentmail doctor`")
    return 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.roster import RosterOutcome, RosterRow
