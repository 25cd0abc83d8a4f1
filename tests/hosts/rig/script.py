"""What the scripted model answers.

A script is a list of steps. Each request of the main loop takes the first step that fits it; when
none is left it gets "ok". A request without tools (a title) never consumes a step; a compaction does,
and so does a subagent.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, TypedDict

Json = dict[str, Any]


class Step(TypedDict, total=False):
    """One answer; exactly one of text, tool, blocks and status is given."""

    text: str
    tool: str
    input: Json
    namespace: str  # of the tool, in the Responses API
    custom: str  # a tool of the Responses API that takes `text` and no JSON
    blocks: list[Json]  # raw content blocks of the Messages API, e.g. two tool calls at once
    status: int  # an API error of this HTTP status
    error: str
    when: str  # only for a request whose last user message holds this
    about: str  # only for a request of which any message holds this, such as a subagent's task
    repeat: bool  # never used up
    hold: threading.Event  # answer only once this is set
    usage: Json  # reported token usage


def text(words: str, /, **more: Any) -> Step:
    """An answer in words; the turn ends."""
    step = Step(text=words)
    step.update(more)  # type: ignore[typeddict-item]
    return step


def tool(name: str, /, **arguments: Any) -> Step:
    """A call of one tool."""
    return Step(tool=name, input=arguments)


def bash(command: str, /) -> Step:
    """A call of Claude Code's Bash tool."""
    return tool("Bash", command=command, description="as scripted")


def plain_text(content: Any) -> str:
    """All text in a message's content, be it a string or blocks."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if isinstance(block, str):
            parts.append(block)
        elif block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_result":
            parts.append(plain_text(block.get("content")))
    return "\n".join(parts)


class Script:
    """Hands out the steps; several requests may ask at once."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self._steps = list(steps)
        self._lock = threading.Lock()

    def replace(self, steps: Iterable[Step]) -> None:
        """From now on, answer with these."""
        with self._lock:
            self._steps = list(steps)

    def next_step(self, messages: list[Json]) -> Step:
        """The step that answers a request with these messages."""
        users = [plain_text(message["content"]) for message in messages if message["role"] == "user"]
        everything = "\n".join(plain_text(message["content"]) for message in messages)
        with self._lock:
            for number, step in enumerate(self._steps):
                if step.get("when", "") in (users or [""])[-1] and step.get("about", "") in everything:
                    if not step.get("repeat"):
                        del self._steps[number]
                    return step
        return text("ok")
