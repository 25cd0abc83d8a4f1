"""JSON-RPC on two descriptors: one message a line, read with a bound, written whole by one thread at a time."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

#: The longest line that is read; the longest text that a tool takes has 8 KB.
LINE_MAX = 4 << 20
CHUNK = 1 << 16
#: The codes of JSON-RPC.
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603

Message = dict[str, Any]


class Closed(Exception):
    """The client does not read any more."""


class Wire:
    """Both directions of one connection."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()
        self._closed = False

    def lines(self) -> Iterator[bytes | None]:
        """The lines of the client, to its end; None in the place of one that is too long."""
        held = b""
        too_long = False
        while chunk := os.read(self._incoming, CHUNK):
            *complete, held = (held + chunk).split(b"\n")
            for line in complete:
                yield None if too_long or len(line) > LINE_MAX else line
                too_long = False
            if len(held) > LINE_MAX:
                held, too_long = b"", True
        if held.strip() and not too_long:
            yield held

    def send(self, message: Message) -> None:
        """Write one message; Closed where the client is gone."""
        text = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"))
        view = memoryview(text.replace("\x7f", "\\u007f").encode() + b"\n")
        with self._lock:
            if self._closed:
                raise Closed
            try:
                while view:
                    view = view[self._write(view) :]
            except OSError:
                # Half a line may be out: nothing that follows would be understood.
                self._closed = True
                raise Closed from None

    def _write(self, view: memoryview) -> int:
        try:
            return os.write(self._outgoing, view)
        except BlockingIOError:
            from select import select

            select([], [self._outgoing], [])
            return 0

    def answer(self, id: object, result: Message) -> None:
        """The result of a request."""
        self.send({"id": id, "result": result})

    def refuse(self, id: object, code: int, why: str) -> None:
        """A request that the protocol does not know, or a line that is none."""
        self.send({"id": id, "error": {"code": code, "message": why}})

    def notify(self, method: str, parameters: Message) -> None:
        """A message that has no answer."""
        self.send({"method": method, "params": parameters})


def json_object(line: bytes) -> Message | None:
    """The JSON object in a line, or None."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
