"""The scripted model, asked in each API that it speaks."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from .model import ScriptedModel
from .script import Json, text, tool

TOOLS = [{"name": "look"}]
ASKED: dict[str, tuple[str, Json]] = {
    "Messages": ("/v1/messages", {"messages": [{"role": "user", "content": "question"}]}),
    "Responses": ("/v1/responses", {"input": [{"role": "user", "content": [{"text": "question"}]}]}),
    "Chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "question"}]}),
    "Gemini": (
        "/v1beta/models/scripted:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "question"}]}]},
    ),
}
STREAMED = {**ASKED, "Gemini": ("/v1beta/models/scripted:streamGenerateContent?alt=sse", ASKED["Gemini"][1])}


def ask(model: ScriptedModel, path: str, **body: Any) -> str:
    """The body of the answer."""
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("api", ASKED)
def test_each_step_is_taken_by_one_request_that_offers_tools(api: str) -> None:
    path, body = ASKED[api]
    with ScriptedModel([text("first answer"), tool("look", at="here")]) as model:
        assert "first answer" not in ask(model, path, **body)  # a title, as no tools are offered
        assert "first answer" in ask(model, path, tools=TOOLS, **body)
        called = ask(model, path, tools=TOOLS, **body)
        assert "look" in called
        assert "here" in called
        assert '"ok"' in ask(model, path, tools=TOOLS, **body)
        assert [request.kind for request in model.requests] == ["side", "main", "main", "main"]
        assert model.seen() == "\n".join(["question"] * 3)


@pytest.mark.parametrize("api", STREAMED)
def test_a_stream_says_the_same_and_ends(api: str) -> None:
    path, body = STREAMED[api]
    with ScriptedModel([text("first answer")]) as model:
        lines = ask(model, path, tools=TOOLS, stream=True, **body).splitlines()
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert [json.loads(one) for one in data if one != "[DONE]"]
    assert "first answer" in "".join(data)


@pytest.mark.parametrize("api", ASKED)
def test_an_error_has_the_status_of_its_step(api: str) -> None:
    path, body = ASKED[api]
    with ScriptedModel([{"status": 429}]) as model, pytest.raises(urllib.error.HTTPError) as refused:
        ask(model, path, tools=TOOLS, **body)
    assert refused.value.code == 429
    refused.value.close()


def test_the_result_of_a_tool_and_the_call_before_it_are_read_in_each_api() -> None:
    bodies: dict[str, Json] = {
        "/v1/chat/completions": {
            "messages": [
                {"role": "assistant", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]},
                {"role": "tool", "content": "seen"},
            ]
        },
        "/v1/responses": {
            "input": [
                {"type": "function_call", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "output": "seen"},
            ]
        },
        "/v1beta/models/scripted:generateContent": {
            "contents": [
                {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"response": {"output": "seen"}}}]},
            ]
        },
    }
    for path, body in bodies.items():
        with ScriptedModel() as model:
            ask(model, path, tools=TOOLS, **body)
            call, result = (message["content"] for message in model.messages())
            assert "look" in call
            assert "seen" in result


def test_what_nobody_serves_is_kept_and_refused() -> None:
    with ScriptedModel() as model, pytest.raises(urllib.error.HTTPError) as refused:
        ask(model, "/v2/other")
    assert refused.value.code == 404
    refused.value.close()
    assert [(request.path, request.kind) for request in model.requests] == [("/v2/other", "other")]
