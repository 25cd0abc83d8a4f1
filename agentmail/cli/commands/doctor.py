"""What `doctor` prints."""

from __future__ import annotations

from agentmail.core.names import printable


def lines(outcome: Diagnosis) -> Iterator[str]:
    """A line a finding with its fix, and the sum."""
    for finding in outcome["findings"]:
        fix = "fixed" if finding["fixed"] else finding["fix"]
        yield f"{finding['level']}: {printable(finding['subject'])}: {printable(finding['what'])}; {printable(fix)}"
    problems = sum(
        1 for finding in outcome["findings"] if finding["level"] == "problem" and not finding["fixed"]
    )
    yield f"{printable(outcome['path'])}: {problems or 'no'} problem{'' if problems == 1 else 's'}; looked at {', '.join(outcome['looked_at'])}"


def table(outcome: Diagnosis) -> Iterator[str]:
    """What was found, as a table."""
    from rich.text import Text

    from agentmail.cli import tables

    table = tables.new_table("", "where", "what", "fix")
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
    yield from tables.rendered(title, table if outcome["findings"] else None)


def finish(_context: Context, outcome: Diagnosis) -> int:
    """1 where a problem is left."""
    return 0 if outcome["ok"] else 1


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.doctor import Diagnosis
