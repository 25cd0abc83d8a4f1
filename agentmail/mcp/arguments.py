"""The arguments of a call, checked: what a model gave, as its tool's verb takes it."""

from __future__ import annotations

import json
import math
from typing import Any

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.mcp.schemas import COUNT, DEFAULTS, FLAG, LIST, NUMBER, TEXT, Parameter
from agentmail.mcp.tools import Tool

#: What a value must be, in words.
WANTED = {
    TEXT: "a text",
    FLAG: "true or false",
    NUMBER: "a number",
    COUNT: "a whole number of at least 1",
    LIST: "a list of texts",
}


def bound(tool: Tool, given: object) -> dict[str, Any]:
    """The verb's arguments by parameter. Refused for one that is unknown, missing or of another type."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise _refused(f"the arguments of {tool.name} are not an object", _usage(tool))
    found: dict[str, Any] = {}
    for name, value in given.items():
        one = tool.parameters.get(name)
        if one is None:
            raise _refused(f"{tool.name} has no argument {names.quoted(str(name))}", _usage(tool))
        if value is not None:
            found[one.fills] = _value(tool, one, value)
    for one in tool.parameters.values():
        if one.required and one.fills not in found:
            raise _refused(f"{tool.name} needs {one.name}", _usage(tool))
        if one.name in DEFAULTS and one.fills not in found:
            found[one.fills] = _value(tool, one, DEFAULTS[one.name])
        if one.required and one.kind == LIST and not found[one.fills] and not found.get("thread"):
            raise _refused(f"{tool.name} needs at least one of {one.name}", "")
    return found


def _value(tool: Tool, one: Parameter, value: object) -> Any:
    """The value as the verb takes it.

    A number as text, one text in the place of a list, and an object in the place of its JSON are what models often send.
    """
    if one.kind == FLAG and isinstance(value, bool):
        return value
    if one.kind == TEXT and isinstance(value, str):
        return value
    if one.kind == LIST:
        listed = value if isinstance(value, list) else [value]
        if all(isinstance(each, str | dict) for each in listed):
            return [json.dumps(each) if isinstance(each, dict) else each for each in listed]
    if one.kind in (COUNT, NUMBER):
        number = _number(value)
        if number is not None and one.kind == NUMBER:
            return number
        if number is not None and number.is_integer() and 1 <= number < 10**9:
            return str(int(number))
    raise _refused(f"{one.name} of {tool.name} is not {WANTED[one.kind]}", _usage(tool))


def _number(value: object) -> float | None:
    if isinstance(value, str) and 0 < len(value) <= 9 and names.DIGITS_ONLY.issuperset(value):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _usage(tool: Tool) -> str:
    listed = [one.name if one.required else f"[{one.name}]" for one in tool.parameters.values()]
    return f"its arguments: {', '.join(listed)}" if listed else "it has no arguments"


def _refused(what: str, next_step: str) -> Refused:
    return Refused(what, names.NOTHING_CHANGED, next_step)
