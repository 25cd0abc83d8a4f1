"""The server of one connection: a thread reads, the main thread answers in order, waits run beside it.

Why no package of the protocol's authors: importing it takes 65 MB and a second, of which the pydantic models of the
protocol alone take 41, in each session of each host; and it would be needed where a plugin has no packages at all. The
tests drive this server with their client, and check each of our messages with their models.
"""

from __future__ import annotations

import queue
import threading
from typing import Any, Protocol

from agentmail import __version__
from agentmail.core.errors import AgentMailError
from agentmail.mcp.calling import Caller
from agentmail.mcp.client import Client
from agentmail.mcp.instructions import INSTRUCTIONS
from agentmail.mcp.resources import TEMPLATES, list_resources, read_resource
from agentmail.mcp.subscriptions import Subscriptions
from agentmail.mcp.tools import all_tools
from agentmail.mcp.wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NO_METHOD,
    PARSE_ERROR,
    Closed,
    Wire,
    json_object,
)

#: The versions of the protocol, the newest first.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
#: How many requests may wait for their turn before no more are read.
QUEUED = 1000
ROOTS = "agentmail-roots"
RESOURCE_NOT_FOUND = -32002


class Texts(Protocol):
    """The texts of the interface that starts this one: what it prints for an outcome or an error."""

    def of_outcome(self, verb: str, outcome: dict[str, Any], notes: Sequence[str]) -> tuple[list[str], bool]:
        """The lines for an outcome, and whether a part of it failed."""

    def of_error(self, error: Exception) -> AgentMailError:
        """The one line that an error is."""


def serve(environment: Environment, texts: Texts, incoming: int, outgoing: int) -> None:
    """Serve one client to its end."""
    Server(environment, texts, Wire(incoming, outgoing)).run()


class Server:
    """One connection."""

    def __init__(self, environment: Environment, texts: Texts, wire: Wire) -> None:
        self._wire = wire
        self._texts = texts
        self._client = Client(environment)
        self._caller = Caller(wire, self._client, texts)
        self._subscriptions = Subscriptions(wire)
        self._requests: queue.Queue[dict[str, Any] | None] = queue.Queue(QUEUED)
        self._methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": lambda _: {"tools": [tool.description for tool in all_tools()]},
            "resources/list": self._list_resources,
            "resources/templates/list": lambda _: {"resourceTemplates": TEMPLATES},
            "resources/read": self._read_resource,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }

    def run(self) -> None:
        """Answer until the client ends the connection."""
        reader = threading.Thread(target=self._read, daemon=True)
        reader.start()
        try:
            while (message := self._requests.get()) is not None:
                self._answer(message)
        except Closed:
            return
        finally:
            self._caller.end()
            self._subscriptions.end()

    def _read(self) -> None:
        """Take what must not wait for its turn; queue the requests."""
        try:
            for line in self._wire.lines():
                if line is None or line.strip():
                    self._take(line)
        except (Closed, OSError):
            pass
        finally:
            self._requests.put(None)

    def _take(self, line: bytes | None) -> None:
        message = json_object(line) if line is not None else None
        if message is None:
            self._wire.refuse(None, PARSE_ERROR, "not a JSON object on one line, or too long")
            return
        method, id = message.get("method"), message.get("id")
        parameters = message.get("params")
        message["params"] = parameters = parameters if isinstance(parameters, dict) else {}
        if method is None and id == ROOTS:
            self._client.take_roots(message.get("result"))
        elif method == "notifications/cancelled":
            if _is_id(parameters.get("requestId")):
                self._caller.cancel(parameters["requestId"])
        elif method in ("notifications/initialized", "notifications/roots/list_changed"):
            self._ask_for_roots()
        elif isinstance(method, str) and id is not None:
            if not _is_id(id):
                self._wire.refuse(None, INVALID_REQUEST, "an id is a text or a number")
                return
            if method == "tools/call":
                self._caller.expect(id)
            self._requests.put(message)

    def _ask_for_roots(self) -> None:
        if self._client.has_roots:
            self._wire.send({"id": ROOTS, "method": "roots/list"})

    def _answer(self, message: dict[str, Any]) -> None:
        """Answer one request."""
        id, method, parameters = message["id"], message["method"], message["params"]
        if method == "tools/call":
            self._caller.call(id, parameters)
        elif method not in self._methods:
            self._wire.refuse(id, NO_METHOD, "there is no such method")
        else:
            try:
                result = self._methods[method](parameters)
            except Closed:
                raise
            except Exception as error:  # noqa: BLE001 - a fault of ours must not end the connection
                code = INVALID_PARAMS if method != "resources/read" else RESOURCE_NOT_FOUND
                self._wire.refuse(id, code, str(self._texts.of_error(error)))
            else:
                self._wire.answer(id, result)

    def _initialize(self, parameters: dict[str, Any]) -> dict[str, Any]:
        self._client.introduce(parameters)
        asked = parameters.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}, "resources": {"subscribe": True}},
            "serverInfo": {"name": "agentmail", "title": "Mail between agents", "version": __version__},
            "instructions": INSTRUCTIONS,
        }

    def _list_resources(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return {"resources": list_resources(self._call(parameters))}

    def _read_resource(self, parameters: dict[str, Any]) -> dict[str, Any]:
        contents = read_resource(self._call(parameters), parameters.get("uri"), self._texts)
        return {"contents": contents}

    def _subscribe(self, parameters: dict[str, Any]) -> dict[str, Any]:
        self._subscriptions.add(self._call(parameters), str(parameters.get("uri")))
        return {}

    def _unsubscribe(self, parameters: dict[str, Any]) -> dict[str, Any]:
        self._subscriptions.remove(parameters.get("uri"))
        return {}

    def _call(self, parameters: dict[str, Any]) -> Call:
        meta = parameters.get("_meta")
        return self._client.call(meta if isinstance(meta, dict) else {})


def _is_id(found: object) -> bool:
    return isinstance(found, str | int)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmail.core.environment import Environment
    from agentmail.verbs.call import Call
