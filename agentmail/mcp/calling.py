"""A call of a tool: its verb with the arguments, the answer, and then the record that the session was shown it."""

from __future__ import annotations

import threading
import time
from typing import Any

from agentmail.core.errors import AgentMailError
from agentmail.core.names import printable
from agentmail.mcp.arguments import bound
from agentmail.mcp.bounds import Bounded, within_bounds
from agentmail.mcp.schemas import NOTES
from agentmail.mcp.tools import Tool, all_tools, find_tool
from agentmail.mcp.wire import Closed
from agentmail.verbs.call import DATA_RULE

#: Seconds between two messages that a wait goes on: hosts give up on a call from which nothing comes for a minute.
PROGRESS = 5.0
#: How many messages a wait shows at once.
SHOWN = 50


class Caller:
    """Makes the calls of one connection. One after the other, but waits: each of these has its own thread."""

    def __init__(self, wire: Wire, client: Client, texts: Texts) -> None:
        self._wire = wire
        self._client = client
        self._texts = texts
        self._waits: dict[object, Waiting] = {}
        #: Calls that wait for their turn or are being made, and those of them that the client takes back.
        self._open: set[object] = set()
        self._cancelled: set[object] = set()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        #: What went wrong after an answer was out: said with the next one.
        self._late: list[str] = []

    def expect(self, id: object) -> None:
        """Note that a call waits for its turn; from now on it can be cancelled."""
        with self._lock:
            self._open.add(id)

    def call(self, id: object, parameters: dict[str, Any]) -> None:
        """Answer one `tools/call`, unless it was cancelled before its turn."""
        try:
            if id not in self._cancelled:
                self._call(id, parameters)
        finally:
            with self._lock:
                self._open.discard(id)
                self._cancelled.discard(id)

    def _call(self, id: object, parameters: dict[str, Any]) -> None:
        """Whatever goes wrong is an answer too, with `isError`: the model has to see it."""
        name = parameters.get("name")
        tool = find_tool(name) if isinstance(name, str) else None
        meta = parameters.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        if tool is None:
            tools = ", ".join(one.name for one in all_tools())
            self._wire.answer(id, failed(f"there is no such tool; nothing was changed; the tools: {tools}"))
            return
        try:
            call = self._client.call(meta)
            arguments = _with_identity(tool, call, bound(tool, parameters.get("arguments")))
            if tool.verb == "wait":
                self._start_waiting(id, tool, call, arguments, meta.get("progressToken"))
            else:
                self._run(id, tool, call, arguments)
        except Closed:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours too is one line for the model
            self._wire.answer(id, failed(str(self._texts.of_error(error))))

    def _run(self, id: object, tool: Tool, call: Call, arguments: dict[str, Any]) -> None:
        outcome = tool.function(call, **arguments)
        recorder = self._recorder(tool, call, outcome)
        self._answer(id, tool, call, outcome)
        if recorder is not None:
            from agentmail.verbs.presenting import present

            # After the answer: a crash between the two shows a message again and never hides one.
            files = tool.shown_files(within_bounds(outcome))
            self._record(lambda: present(call.bus, outcome["identity"], recorder, files))

    @staticmethod
    def _recorder(tool: Tool, call: Call, outcome: dict[str, Any]) -> Recorder | None:
        if tool.shown_files is None:
            return None
        from agentmail.verbs.acting import recorder_of

        return recorder_of(call, outcome["identity"])

    def _answer(self, id: object, tool: Tool, call: Call, outcome: dict[str, Any]) -> None:
        bounded = Bounded(outcome)
        notes = [printable(one) for one in (*bounded.notes, *call.bus.disk.notes, *self._late)]
        self._late.clear()
        lines, is_error = self._texts.of_outcome(tool.verb, bounded.value, notes)
        rule = [DATA_RULE] if tool.shows_messages else []
        structured = {NOTES: rule + notes, **bounded.value} if rule + notes else bounded.value
        content = [{"type": "text", "text": "\n".join(lines)}]
        self._wire.answer(id, {"content": content, "structuredContent": structured, "isError": is_error})

    def _record(self, record: Callable[[], None]) -> None:
        try:
            record()
        except (AgentMailError, OSError) as error:
            self._late.append(str(self._texts.of_error(error)))

    def _start_waiting(
        self, id: object, tool: Tool, call: Call, arguments: dict[str, Any], token: object
    ) -> None:
        from agentmail.verbs.wait import open_wait

        waiting = open_wait(call, **arguments)
        waiting.most = SHOWN
        if token is not None:
            waiting.meanwhile = _Progress(self._wire, token, arguments.get("timeout"))
        with self._lock:
            self._waits[id] = waiting
            waiting.cancelled = id in self._cancelled
        self._threads = [one for one in self._threads if one.is_alive()]
        thread = threading.Thread(target=self._wait, args=(id, tool, waiting), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _wait(self, id: object, tool: Tool, waiting: Waiting) -> None:
        try:
            with waiting:
                outcome: Any = waiting.outcome()
                if not (waiting.cancelled and not outcome["messages"]):
                    self._answer(id, tool, waiting.call, outcome)
                    self._record(waiting.record_shown)
        except Closed:
            return
        except Exception as error:  # noqa: BLE001 - as in `call`
            self._refuse_wait(id, str(self._texts.of_error(error)))
        finally:
            with self._lock:
                self._waits.pop(id, None)

    def _refuse_wait(self, id: object, why: str) -> None:
        try:
            self._wire.answer(id, failed(why))
        except Closed:
            return

    def cancel(self, id: object) -> None:
        """End a wait, or take back a call that waits for its turn, without an answer; another one goes on to its end."""
        with self._lock:
            waiting = self._waits.get(id)
            if id in self._open:
                self._cancelled.add(id)
        if waiting is not None:
            waiting.cancel()

    def end(self) -> None:
        """End all waits."""
        with self._lock:
            waits = list(self._waits.values())
        for waiting in waits:
            waiting.cancel()
        for thread in self._threads:
            thread.join(1)


class _Progress:
    """Tells the client that a wait goes on, and for how long."""

    def __init__(self, wire: Wire, token: object, timeout: float | None) -> None:
        self._wire = wire
        self._token = token
        self._timeout = timeout
        self._began = time.monotonic()
        self._said: float | None = None

    def __call__(self) -> None:
        now = time.monotonic()
        if self._said is not None and now - self._said < PROGRESS:
            return
        self._said = now
        found = {"progressToken": self._token, "progress": round(now - self._began, 1)}
        if self._timeout is not None:
            found["total"] = self._timeout
        self._wire.notify("notifications/progress", {**found, "message": "nothing new yet"})


def failed(why: str) -> dict[str, Any]:
    """The answer for an error: one line."""
    return {"content": [{"type": "text", "text": why}], "isError": True}


def _with_identity(tool: Tool, call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with the identity of the call where none was given."""
    for name in ("identity", "sender"):
        if name in tool.parameters:
            given = arguments.get(name)
            arguments[name] = given if name == "sender" and given else call.me(given or None)
    return arguments


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.mcp.client import Client
    from agentmail.mcp.server import Texts
    from agentmail.mcp.wire import Wire
    from agentmail.verbs.call import Call, Recorder
    from agentmail.verbs.wait import Waiting
