"""The shape of a finding, as `--json` prints it."""

from __future__ import annotations

from typing import TypedDict


class Finding(TypedDict):
    """One finding: `level` is `problem` or `note`; `fix` is what to do; `fixed` is true if `--fix` did it."""

    level: str
    subject: str
    what: str
    fix: str
    fixed: bool
