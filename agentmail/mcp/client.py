"""The client of a connection: what it says of itself, its directories, the session that calls."""

from __future__ import annotations

import os
import threading
from typing import Any

from agentmail.core import names
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus
from agentmail.hosts import HOSTS
from agentmail.verbs.call import Call

#: Where hosts put the id of the session that calls: a server may serve several sessions, one after the other.
SESSION_KEYS = ("threadId", "sessionId")
#: Seconds that the first call waits for the client to name its directories.
PATIENCE = 2.0
NAME_MAX = 64


class Client:
    """Who is at the other end of a connection.

    Why a call is made anew for each request: what one request notes or opens must not reach another one.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.host, self._version = "mcp", ""
        #: The directories that the client works in, as it names them.
        self.roots: list[str] = []
        self._roots_asked = False
        self._roots_known = threading.Event()
        #: The session of a client that names none: one process of a host's server is one session.
        self._session = f"mcp-{os.urandom(8).hex()}"

    def introduce(self, parameters: dict[str, Any]) -> None:
        """Take what `initialize` says of the client."""
        info = parameters.get("clientInfo")
        name, self._version = (_word(info, key) for key in ("name", "version"))
        # Some hosts name their client of this protocol: codex-mcp-client.
        hosts = (host for host, _, _ in HOSTS if f"{name}-".startswith(f"{host}-"))
        self.host = next(hosts, name) or self.host
        capabilities = parameters.get("capabilities")
        self._roots_asked = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)

    @property
    def has_roots(self) -> bool:
        """True for a client that can be asked for its directories."""
        return self._roots_asked

    def take_roots(self, result: object) -> None:
        """Take the answer to `roots/list`; an error or anything else names no directories."""
        listed = result.get("roots") if isinstance(result, dict) else None
        uris = [one.get("uri") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        self.roots = [path for path in map(_path_of, uris) if path]
        self._roots_known.set()

    def call(self, meta: dict[str, Any]) -> Call:
        """A call of this client: its session and directory. Each request has its own."""
        if self._roots_asked and not self._roots_known.wait(PATIENCE):
            self._roots_known.set()  # it does not say them; the current directory has to do
        environment = Environment(self._environment.variables, self._directory())
        given = next((meta[key] for key in SESSION_KEYS if _is_session(meta.get(key))), None)
        bus = Bus(environment.bus_path())
        session = given or Call(bus, environment).session or self._session
        return Call(
            bus, environment, session=session, host=self.host, host_version=self._version, detailed=True
        )

    def _directory(self) -> str | None:
        """The directory that decides the identity: of several that the client names, the first that has an owner."""
        if len(self.roots) < 2:
            return self.roots[0] if self.roots else None
        for root in self.roots:
            environment = Environment(self._environment.variables, root)
            try:
                Call(Bus(environment.bus_path()), environment).me()
            except (AgentMailError, OSError):
                continue
            return root
        return self.roots[0]


def _word(info: object, key: str) -> str:
    """What the client says of itself under a key; empty where it says nothing."""
    found = info.get(key) if isinstance(info, dict) else None
    return names.printable(found[:NAME_MAX]) if isinstance(found, str) else ""


def _is_session(found: object) -> bool:
    return isinstance(found, str) and names.is_session(found)


def _path_of(uri: object) -> str:
    """The directory that a `file:` URI names; empty for another one."""
    from urllib.parse import unquote

    if not isinstance(uri, str) or not uri.startswith("file:///") or "\0" in uri:
        return ""
    path = unquote(uri.removeprefix("file://"), errors="surrogateescape")
    return "" if "\0" in path else path.rstrip("/") or "/"
