"""The packages that a call may need beside our own, where Python was started without them (-S): in a checkout
and in a plugin the command takes any Python there is, and pays for its packages only when it needs one.
"""

from __future__ import annotations

import sys

from agentmail.core import names
from agentmail.core.errors import TryAgain

REQUIRED = ("typer", "rich", "frontmatter", "yaml", "watchdog")


def look_on_demand() -> None:
    """Let the first import of a required package make the interpreter's installed packages importable."""
    sys.meta_path.append(_Installed)  # type: ignore[arg-type]


class _Installed:
    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> object:
        if name not in REQUIRED:
            return None
        sys.meta_path.remove(_Installed)  # type: ignore[arg-type]
        import site

        site.main()
        found = (finder.find_spec(name, None) for finder in list(sys.meta_path))
        return next(filter(None, found), None)


def missing(error: ModuleNotFoundError) -> TryAgain:
    """What a call with options says where typer is not installed; another module is a fault of ours."""
    if error.name != "typer":
        raise error
    return TryAgain(
        "options, -h and usage errors need typer, which this Python does not have",
        names.NOTHING_CHANGED,
        f"`pipx install agentmail-bus` (or `{sys.executable} -m pip install typer`), or call with plain words alone",
    )
