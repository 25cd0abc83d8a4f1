"""Google's Gemini API: generateContent and streamGenerateContent."""

from __future__ import annotations

import json
from typing import Any

from .api import Reply
from .script import Json, Step

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}


class GeminiApi:
    """The `Api` that Gemini CLI speaks."""

    def serves(self, path: str) -> bool:
        """The model's name is a part of the path."""
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def offers_tools(self, body: Json) -> bool:
        """In their own field."""
        return bool(body.get("tools"))

    def messages(self, body: Json) -> list[Json]:
        """The system instruction, then the contents."""
        given = body.get("contents", [])
        found = [{"role": one.get("role", "user"), "content": _text(one)} for one in given]
        system = body.get("systemInstruction")
        return [{"role": "system", "content": _text(system)}, *found] if system else found

    def reply(self, path: str, body: Json, step: Step, number: int) -> Reply:
        """A candidate; the stream has one event."""
        if "status" in step:
            error = {"code": step["status"], "message": "as scripted", "status": "SCRIPTED"}
            return Reply({"error": error}, step["status"])
        part: Json = {"text": step.get("text", "ok")}
        if "tool" in step:
            part = {"functionCall": {"name": step["tool"], "args": step.get("input", {})}}
        content = {"role": "model", "parts": [part]}
        candidate = {"index": 0, "finishReason": "STOP", "content": content}
        whole = {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "scripted"}
        return Reply(whole, events=(("", json.dumps(whole)),) if ":stream" in path else ())


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(_part(part) for part in content.get("parts", []))


def _part(part: Json) -> str:
    if "text" in part:
        return str(part["text"])
    if "functionCall" in part:
        call = part["functionCall"]
        return f"[tool_use {call['name']}] {json.dumps(call.get('args', {}))}"
    if "functionResponse" in part:
        return f"[tool_result] {json.dumps(part['functionResponse'].get('response'))}"
    return f"[{', '.join(part)}]"
