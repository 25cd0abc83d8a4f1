"""A stand-in for the Messages API: loopback only, scripted, and it keeps every request.

Why not a proxy to the real API: the tests need no account and no network, and what the model would
say is none of their business; what it is told is.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

from .conversation import Conversation, Kind, Request
from .script import Json, Script, Step, text

HOLD_SECONDS = 60.0


class MockAnthropic(Conversation):
    """The server, and the conversation it has seen so far. Use as a context manager."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        super().__init__()
        self.script = Script(steps)
        self._lock = threading.Lock()
        handler = type("BoundHandler", (_Handler,), {"mock": self})
        # Port 0: the kernel picks a free one, so any number of tests can run at once.
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def start(self) -> MockAnthropic:
        """Begin to serve."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving; what was recorded stays readable."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> MockAnthropic:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()

    def record(self, path: str, kind: Kind, body: Json) -> None:
        """Keep one request."""
        with self._lock:
            self.requests.append(Request(path=path, kind=kind, body=body, at=time.time()))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mock: MockAnthropic

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing on the tests' stderr; an error is told there."""

    def do_HEAD(self) -> None:
        """The client looks whether anybody is there."""
        self._refuse()

    def do_GET(self) -> None:
        """No test needs an answer to these; they are kept."""
        self._refuse()

    def do_POST(self) -> None:
        """Answer /v1/messages as scripted."""
        path = self.path.split("?")[0]
        body = self._read_body()
        if path == "/v1/messages":
            self._answer(body)
        elif path == "/v1/messages/count_tokens":
            self.mock.record(self.path, "other", body)
            self._json(200, {"input_tokens": 100})
        else:
            self._refuse(body)

    def _answer(self, body: Json) -> None:
        kind: Literal["main", "side"] = "main" if body.get("tools") else "side"
        self.mock.record(self.path, kind, body)
        step = self.mock.script.next_step(body) if kind == "main" else text("ok")
        if "hold" in step:
            step["hold"].wait(HOLD_SECONDS)
        if "status" in step:
            self._error(step["status"], step.get("error", "api_error"))
            return
        message = self.mock.script.message(body, step)
        if body.get("stream"):
            self._stream(message)
        else:
            self._json(200, message)

    def _refuse(self, body: Json | None = None) -> None:
        self.mock.record(self.path, "other", body or {})
        self._error(404, "not_found_error")

    def _error(self, status: int, kind: str) -> None:
        self._json(status, {"type": "error", "error": {"type": kind, "message": "as scripted"}})

    def _read_body(self) -> Json:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            raw = b"".join(iter(self._read_chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.loads(raw) if raw else {}
        return body if isinstance(body, dict) else {"not an object": body}

    def _read_chunk(self) -> bytes:
        size = int(self.rfile.readline().split(b";")[0], 16)
        chunk = self.rfile.read(size)
        self.rfile.readline()
        return chunk

    def _json(self, status: int, answer: Json) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self._emit("message_start", message={**message, "content": [], "stop_reason": None})
            for index, block in enumerate(message["content"]):
                self._emit_block(index, block)
            end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
            self._emit("message_delta", delta=end, usage=message["usage"])
            self._emit("message_stop")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client was interrupted or ended; the request is kept all the same

    def _emit_block(self, index: int, block: Json) -> None:
        if block["type"] == "tool_use":
            self._emit("content_block_start", index=index, content_block={**block, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            self._emit("content_block_start", index=index, content_block={"type": "text", "text": ""})
            delta = {"type": "text_delta", "text": block["text"]}
        self._emit("content_block_delta", index=index, delta=delta)
        self._emit("content_block_stop", index=index)

    def _emit(self, kind: str, **data: Any) -> None:
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())
