"""Reading the requests that reached the model, and comparing two of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .script import Json

Kind = Literal["main", "side", "other"]
NOTHING = "(no request reached the model)"
#: What tells text of a hook, or of the client's own notifications, from the client's boilerplate.
MARKS = re.compile(
    r"hook (additional context|success|error|blocking error|feedback|stopped)"
    r"|hook_|<task-notification>|<cross-session-message|<persisted-output>",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Request:
    """One request to an API; `main` requests offer tools, `side` requests (titles, summaries) do not.

    `messages` are those of the body in the one form that api.py describes.
    """

    path: str
    kind: Kind
    body: Json
    at: float
    messages: list[Json]


def render(content: Any) -> str:
    """A message's content for people: every block named."""
    if isinstance(content, str):
        return content
    return "\n".join(_render_block(block) for block in content)


def _render_block(block: Json) -> str:
    kind = block.get("type")
    if kind == "text":
        return f"[text] {block['text']}"
    if kind == "tool_use":
        return f"[tool_use {block['name']}] {json.dumps(block['input'])}"
    if kind == "tool_result":
        error = " is_error" if block.get("is_error") else ""
        return f"[tool_result{error}] {render(block.get('content') or '')}"
    return f"[{kind}] ..."


class Conversation:
    """The requests of one run or session, oldest first."""

    def __init__(self, requests: list[Request] | None = None) -> None:
        self.requests: list[Request] = [] if requests is None else requests

    @property
    def main(self) -> list[Request]:
        """The requests of the main loop, that is those that offer the model tools."""
        return [request for request in self.requests if request.kind == "main"]

    def messages(self, number: int = -1) -> list[Json]:
        """The messages of main request `number`; none if nothing was asked."""
        main = self.main
        return main[number].messages if main else []

    def received(self, number: int = -1) -> str:
        """The whole of main request `number` as the model saw it, for people."""
        parts = [f"--- {i} {m['role']}\n{render(m['content'])}" for i, m in enumerate(self.messages(number))]
        return "\n".join(parts) or NOTHING

    def seen(self) -> str:
        """Every message text of every main request, for `in`."""
        return "\n".join(render(m["content"]) for request in self.main for m in request.messages)

    def injected(self, number: int = -1) -> str:
        """Main request `number` without the client's boilerplate: turns, tool results, words of hooks."""
        return "\n".join(self._paragraphs(number)) or NOTHING

    def _paragraphs(self, number: int) -> Iterator[str]:
        for i, message in enumerate(self.messages(number)):
            for paragraph in re.split(r"\n\n+", render(message["content"])):
                boilerplate = message["role"] == "system" or "<system-reminder>" in paragraph
                if paragraph.strip() and (MARKS.search(paragraph) or not boilerplate):
                    yield f"[{i} {message['role']}] {paragraph.strip()}"


def comparable(body: Json, root: Path) -> Json:
    """A request body without what differs between any two runs: the session, the day, the rig's directory."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(root))  # the client names its folders so
    raw = json.dumps({**body, "metadata": None}).replace(json.dumps(str(root))[1:-1], "<root>")
    raw = re.sub(r"Today's date is [0-9-]+", "Today's date is <day>", raw)
    plain: Json = json.loads(raw.replace(slug, "<root>"))
    return plain


def differences(left: Any, right: Any, where: str = "body") -> list[str]:
    """Where two (comparable) bodies differ, one line a place; none when they are the same."""
    if isinstance(left, dict) and isinstance(right, dict):
        keys = sorted({*left, *right})
        return [line for key in keys for line in differences(left.get(key), right.get(key), f"{where}.{key}")]
    if isinstance(left, list) and isinstance(right, list):
        longest = max(len(left), len(right))
        pairs = enumerate(zip(_padded(left, longest), _padded(right, longest), strict=True))
        return [line for i, pair in pairs for line in differences(*pair, f"{where}[{i}]")]
    return [] if left == right else [f"{where}: {left!r} != {right!r}"]


def _padded(items: list[Any], length: int) -> list[Any]:
    return items + [None] * (length - len(items))
