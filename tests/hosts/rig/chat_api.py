"""OpenAI's Chat Completions API."""

from __future__ import annotations

import json
from typing import Any

from .api import Reply
from .script import Json, Step

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class ChatApi:
    """The `Api` that opencode and Pi speak to a server that is compatible with OpenAI's."""

    def serves(self, path: str) -> bool:
        """One path."""
        return path == "/v1/chat/completions"

    def offers_tools(self, body: Json) -> bool:
        """In their own field."""
        return bool(body.get("tools"))

    def messages(self, body: Json) -> list[Json]:
        """As they are, with the calls of tools as text."""
        return [
            {"role": message["role"], "content": _content(message)} for message in body.get("messages", [])
        ]

    def reply(self, path: str, body: Json, step: Step, number: int) -> Reply:
        """A completion, or its stream."""
        if "status" in step:
            error = {"message": "as scripted", "type": step.get("error", "server_error"), "code": "scripted"}
            return Reply({"error": error}, step["status"])
        base = {"id": f"chatcmpl-{number}", "created": 0, "model": body.get("model", "scripted")}
        message: Json = {"role": "assistant", "content": step.get("text", "ok")}
        why = "stop"
        if "tool" in step:
            function = {"name": step["tool"], "arguments": json.dumps(step.get("input", {}))}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            message, why = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": why}
        whole = {**base, "object": "chat.completion", "usage": USAGE, "choices": [choice]}
        return Reply(whole, events=_stream(base, message, why) if body.get("stream") else ())


def _content(message: Json) -> str:
    calls = [
        f"[tool_use {call['function']['name']}] {call['function']['arguments']}"
        for call in message.get("tool_calls") or []
    ]
    text = _text(message.get("content"))
    return "\n".join([f"[tool_result] {text}" if message["role"] == "tool" else text, *calls])


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content or ""


def _stream(base: Json, message: Json, why: str) -> tuple[tuple[str, str], ...]:
    chunk = {**base, "object": "chat.completion.chunk"}
    delta = {"index": 0, "delta": message, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": why}
    chunks = ({**chunk, "choices": [delta]}, {**chunk, "choices": [end], "usage": USAGE})
    return (*(("", json.dumps(one)) for one in chunks), ("", "[DONE]"))
