"""The shape of a finding, as `--json` prints it."""

from __future__ import annotations

from typing import TypedDict


class Finding(TypedDict):
    """One finding: `level` is `problem` or `note`; `mend` is what to do; `fixed` after `--fix`."""

    level: str
    subject: str
    what: str
    mend: str
    fixed: bool
