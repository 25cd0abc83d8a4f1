"""OpenAI's Responses API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .api import Reply
from .script import Json, Step

USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


class ResponsesApi:
    """The `Api` that Codex speaks."""

    def serves(self, path: str) -> bool:
        """One path."""
        return path == "/v1/responses"

    def offers_tools(self, body: Json) -> bool:
        """In their own field, or as an item of the input."""
        return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in _items(body))

    def messages(self, body: Json) -> list[Json]:
        """The instructions, then the items of the input; what is not a message has the item's type as its role."""
        found = [_message(item) for item in _items(body)]
        instructions = body.get("instructions")
        return [{"role": "system", "content": instructions}, *found] if instructions else found

    def reply(self, path: str, body: Json, step: Step, number: int) -> Reply:
        """A response, or its stream."""
        if "status" in step:
            error = {"message": "as scripted", "type": step.get("error", "server_error"), "code": "scripted"}
            return Reply({"error": error}, step["status"])
        item = _item(step, number)
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "model": body.get("model", "scripted"),
            "created_at": 0,
            "status": "completed",
            "output": [item],
            "usage": USAGE,
        }
        events = tuple((event["type"], json.dumps(event)) for event in _stream(response, item))
        return Reply(response, events=events if body.get("stream") else ())


def _items(body: Json) -> list[Json]:
    given = body.get("input", [])
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [item for item in given if isinstance(item, dict)]


def _message(item: Json) -> Json:
    if "role" in item:
        return {"role": item["role"], "content": _text(item.get("content"))}
    kind = str(item.get("type"))
    said = item.get("output", item.get("arguments", item.get("input")))
    return {"role": kind, "content": f"[{kind} {item.get('name', '')}] {_text(said)}"}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content)


def _item(step: Step, number: int) -> Json:
    if "tool" in step:
        return {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": step["tool"],
            "arguments": json.dumps(step.get("input", {})),
            "status": "completed",
            **({"namespace": step["namespace"]} if "namespace" in step else {}),
        }
    if "custom" in step:
        call = {"type": "custom_tool_call", "id": f"ct_{number}", "call_id": f"call_{number}"}
        return {**call, "name": step["custom"], "input": step["text"], "status": "completed"}
    content = [{"type": "output_text", "text": step.get("text", "ok"), "annotations": []}]
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    return {**message, "content": content}


def _stream(response: Json, item: Json) -> Iterator[Json]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    opened = {**item, "status": "in_progress"}
    is_message = item["type"] == "message"
    if is_message:
        opened["content"] = []
    yield {"type": "response.output_item.added", "output_index": 0, "item": opened}
    if is_message:
        where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", **where, "delta": item["content"][0]["text"]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}
