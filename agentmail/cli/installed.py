"""The packages that a call may need beside our own: found when the first of them is needed, or named when missing.

Why: the launcher starts Python without `site` (-S), which would cost every call a third of its time.
"""

from __future__ import annotations

import sys

from agentmail.core import names
from agentmail.core.errors import Refused


def find_installed(name: str) -> object:
    """Make the interpreter's installed packages importable; the spec of one of them, or None."""
    import site

    site.main()
    found = (finder.find_spec(name, None) for finder in list(sys.meta_path))
    return next(filter(None, found), None)


def missing(error: ModuleNotFoundError) -> Refused:
    """The error of completion where typer is not installed; another missing module is a fault of ours."""
    if error.name != "typer":
        raise error
    return Refused(
        "completion needs typer, which this Python does not have",
        names.NOTHING_CHANGED,
        "`pipx install agentmail-bus` or `uv tool install agentmail-bus` installs agentmail with all that it needs",
    )
