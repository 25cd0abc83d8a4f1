"""Anthropic's Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .api import Reply
from .script import Json, Step

USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


class MessagesApi:
    """The `Api` that Claude Code speaks."""

    def serves(self, path: str) -> bool:
        """One path."""
        return path == "/v1/messages"

    def offers_tools(self, body: Json) -> bool:
        """In their own field."""
        return bool(body.get("tools"))

    def messages(self, body: Json) -> list[Json]:
        """As they are; the system prompt is not among them."""
        found: list[Json] = body.get("messages", [])
        return found

    def reply(self, path: str, body: Json, step: Step, number: int) -> Reply:
        """A message, or its stream."""
        if "status" in step:
            error = {"type": step.get("error", "api_error"), "message": "as scripted"}
            return Reply({"type": "error", "error": error}, step["status"])
        message = _message(body, step, number)
        events = tuple((event["type"], json.dumps(event)) for event in _stream(message))
        return Reply(message, events=events if body.get("stream") else ())


def _message(body: Json, step: Step, number: int) -> Json:
    blocks = [dict(block) for block in _blocks(step)]
    for place, block in enumerate(blocks):
        if block["type"] == "tool_use":
            block.setdefault("id", f"toolu_model{number:010d}{place:04d}")
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    return {
        "id": f"msg_model{number:014d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": USAGE | step.get("usage", {}),
    }


def _blocks(step: Step) -> list[Json]:
    if "blocks" in step:
        return step["blocks"]
    if "tool" in step:
        return [{"type": "tool_use", "name": step["tool"], "input": step.get("input", {})}]
    return [{"type": "text", "text": step.get("text", "ok")}]


def _stream(message: Json) -> Iterator[Json]:
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            yield _event("content_block_start", index=index, content_block={**block, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            yield _event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            delta = {"type": "text_delta", "text": block["text"]}
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _event(kind: str, **data: Any) -> Json:
    return {"type": kind, **data}
