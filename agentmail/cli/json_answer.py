"""Outcomes and errors as JSON: one object on one line, `ok` first, so that no reader takes an error for an answer."""

from __future__ import annotations

from agentmail.core.lean_json import dumps


def as_json(command: str, outcome: Mapping[str, object]) -> Iterator[str]:
    """One line of ASCII JSON, `ok` first, under the command's schema name, in pieces.

    `messages` may be an iterator, and what it gives JSON already.
    """
    ok = dumps(command != "error" and is_ok(outcome))
    yield f'{{"ok": {ok}, "schema": "agentmail.{command}.v1"'
    for key, value in outcome.items():
        if key == "ok":
            continue
        if key == "messages" and not isinstance(value, list):
            yield ', "messages": ['
            between = ""
            for message in value:  # type: ignore[attr-defined]
                yield between
                yield message if isinstance(message, str) else _escaped(dumps(message))
                between = ", "
            yield "]"
        else:
            yield f", {dumps(key)}: {_escaped(dumps(value))}"
    yield "}\n"


def _escaped(text: str) -> str:
    """JSON without DEL, the one control character that it need not escape."""
    return text.replace("\x7f", "\\u007f")


def is_ok(outcome: Mapping[str, object]) -> bool:
    """False where a part of what was asked for failed, or the outcome itself says so."""
    if "ok" in outcome or outcome.get("problem") or outcome.get("failed"):
        return outcome.get("ok") is True
    parts = (outcome.get("messages"), outcome.get("recipients"))
    return not any("error" in one for part in parts if isinstance(part, list) for one in part)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
