"""Where the pinned Claude Code is."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = (HERE / "client-version").read_text().strip()
MISSING = "Claude Code is not installed; run ./dev hosts"


class ClientMissing(Exception):
    """AGENTMAIL_TEST_CLAUDE names something that cannot be run."""


def cached_client() -> Path:
    """Where install.sh puts the client, whether or not it is there."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "agentmail-hosts", f"claude-code-{VERSION}", "node_modules", ".bin", "claude")


def find_client() -> Path | None:
    """The client to drive: AGENTMAIL_TEST_CLAUDE, else the cached one, else None."""
    named = os.environ.get("AGENTMAIL_TEST_CLAUDE")
    if named:
        # Why not None: who names a client wants it tested, and a skip would hide a misspelt path.
        if not os.access(named, os.X_OK):
            raise ClientMissing(f"AGENTMAIL_TEST_CLAUDE is {named!r}, which is not a program")
        return Path(named).absolute()
    cached = cached_client()
    return cached if os.access(cached, os.X_OK) else None
