"""A stand-in for the APIs of models: loopback only, scripted, and it keeps every request.

Why not a proxy to a real API: the tests need no account and no network, and what a model would
say is none of their business; what it is told is.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from .api import Api, Reply
from .chat_api import ChatApi
from .conversation import Conversation, Kind, Request
from .gemini_api import GeminiApi
from .messages_api import MessagesApi
from .responses_api import ResponsesApi
from .script import Json, Script, Step, text

HOLD_SECONDS = 60.0
APIS: tuple[Api, ...] = (MessagesApi(), ResponsesApi(), ChatApi(), GeminiApi())


class ScriptedModel(Conversation):
    """The server, and the conversation it has seen so far. Use as a context manager."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        super().__init__()
        self.script = Script(steps)
        self.numbers = itertools.count(1)
        self._lock = threading.Lock()
        handler = type("BoundHandler", (_Handler,), {"model": self})
        # Port 0: the kernel picks a free one, so any number of tests can run at once.
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def start(self) -> ScriptedModel:
        """Begin to serve."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving; what was recorded stays readable."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> ScriptedModel:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()

    def record(self, request: Request) -> None:
        """Keep one request."""
        with self._lock:
            self.requests.append(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ScriptedModel

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing on the tests' stderr; an error is told there."""

    def do_HEAD(self) -> None:
        """The client looks whether anybody is there."""
        self._refuse()

    def do_GET(self) -> None:
        """No test needs an answer to these; they are kept."""
        self._refuse()

    def do_POST(self) -> None:
        """Answer as scripted in the API of the path."""
        path = self.path.split("?")[0]
        body = self._read_body()
        for api in APIS:
            if api.serves(path):
                self._answer(api, path, body)
                return
        if path == "/v1/messages/count_tokens":
            self._record("other", body)
            self._json(200, {"input_tokens": 100})
        else:
            self._refuse(body)

    def _answer(self, api: Api, path: str, body: Json) -> None:
        kind: Kind = "main" if api.offers_tools(body) else "side"
        messages = api.messages(body)
        self._record(kind, body, messages)
        step = self.model.script.next_step(messages) if kind == "main" else text("ok")
        if "hold" in step:
            step["hold"].wait(HOLD_SECONDS)
        reply = api.reply(path, body, step, next(self.model.numbers))
        if reply.events:
            self._stream(reply)
        else:
            self._json(reply.status, reply.body)

    def _record(self, kind: Kind, body: Json, messages: list[Json] | None = None) -> None:
        self.model.record(Request(self.path, kind, body, time.time(), messages or []))

    def _refuse(self, body: Json | None = None) -> None:
        self._record("other", body or {})
        error = {"type": "not_found_error", "message": "as scripted"}
        self._json(404, {"type": "error", "error": error})

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

    def _stream(self, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for name, data in reply.events:
                self.wfile.write(f"event: {name}\n".encode() if name else b"")
                self.wfile.write(f"data: {data}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client was interrupted or ended; the request is kept all the same
