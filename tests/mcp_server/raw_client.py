"""A client of a few lines: it writes what a test says, also what no client of a library would write."""

from __future__ import annotations

import json
import queue
import threading
from pathlib import Path
from typing import Any

from tests.support.cli import Cli

#: Far above what an answer takes, so that no test depends on it.
PATIENCE = 50
INFO = {"name": "raw-client", "version": "7.1"}


class RawClient:
    """One connection to a server process. What the server writes is kept in order."""

    def __init__(self, run: Cli, cwd: Path | None = None, **variables: str | None) -> None:
        self.process = run.start("mcp", cwd=cwd, env=variables)
        assert self.process.stdin
        assert self.process.stdout
        self._in, self._out = self.process.stdin, self.process.stdout
        self._read: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._next = 0
        self.others: list[dict[str, Any]] = []
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        for line in self._out:
            self._read.put(json.loads(line))
        self._read.put(None)

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        self._in.write(data)
        self._in.flush()

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def notify(self, method: str, **params: Any) -> None:
        """Write a message that has no answer."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> int:
        """Write a request; returns its id."""
        self._next += 1
        self.send({"id": self._next, "method": method, "params": params})
        return self._next

    def next(self) -> dict[str, Any]:
        """The next message of the server."""
        found = self._read.get(timeout=PATIENCE)
        assert found is not None, "the server ended the connection"
        return found

    def until(self, wanted: Any) -> dict[str, Any]:
        """The first message for which `wanted` is true; `others` keeps what came before."""
        while not wanted(message := self.next()):
            self.others.append(message)
        return message

    def answer(self, id: int) -> dict[str, Any]:
        """The answer to a request."""
        return self.until(lambda message: message.get("id") == id and "method" not in message)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request that has one."""
        found = self.answer(self.ask(method, **params))
        assert "error" not in found, found
        result = found["result"]
        assert isinstance(result, dict)
        return result

    def initialize(self, version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        """Begin the session; returns what the server says of itself."""
        found = self.request(
            "initialize", protocolVersion=version, capabilities=capabilities, clientInfo=INFO
        )
        self.notify("notifications/initialized")
        return found

    def call(self, verb: str, meta: dict[str, Any] | None = None, /, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.answer(self.start(verb, meta, **arguments))["result"]  # type: ignore[no-any-return]

    def start(self, verb: str, meta: dict[str, Any] | None = None, /, **arguments: Any) -> int:
        """Call a tool without waiting for it; returns the id of the request."""
        more = {"_meta": meta} if meta else {}
        return self.ask("tools/call", name=f"mail_{verb}", arguments=arguments, **more)

    def outcome(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a tool that succeeds."""
        found = self.call(verb, **arguments)
        assert not found["isError"], found
        content = found["structuredContent"]
        assert isinstance(content, dict)
        return content

    def end(self) -> int:
        """End the connection; returns the exit code of the server."""
        self._in.close()
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing behind."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
        self.process.wait()


def text_of(result: dict[str, Any]) -> str:
    """The text that a model reads."""
    (content,) = result["content"]
    return str(content["text"])
