"""Where the pinned clients are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class ClientMissing(Exception):
    """A variable AGENTMAIL_TEST_... names something that cannot be run."""


class Client(NamedTuple):
    """One line of clients.txt."""

    host: str
    version: str
    name: str
    packages: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The variable that names another program to test, such as AGENTMAIL_TEST_CLAUDE."""
        return f"AGENTMAIL_TEST_{self.name.upper()}"

    @property
    def missing(self) -> str:
        """Why a test is skipped."""
        return f"{self.host} is not installed; run ./dev hosts"

    def cached(self) -> Path:
        """Where install.sh puts the program, whether or not it is there."""
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        return Path(
            cache, "agentmail-hosts", f"{self.host}-{self.version}", "node_modules", ".bin", self.name
        )

    def find(self) -> Path | None:
        """The program to drive: the one that the variable names, else the cached one, else None."""
        named = os.environ.get(self.variable)
        if named:
            # Why not None: who names a client wants it tested, and a skip would hide a misspelt path.
            if not os.access(named, os.X_OK):
                raise ClientMissing(f"{self.variable} is {named!r}, which is not a program")
            return Path(named).absolute()
        cached = self.cached()
        return cached if os.access(cached, os.X_OK) else None


def _clients() -> dict[str, Client]:
    lines = (HERE / "clients.txt").read_text().splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return {host: Client(host, version, name, tuple(rest)) for host, version, name, *rest in words}


CLIENTS = _clients()
