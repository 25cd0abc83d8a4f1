"""JSON schemas: of a tool's arguments from its verb's signature, of its result from the verb's outcome."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any

from agentmail.message import KINDS, PRIORITIES, SENDER_KINDS
from agentmail.verbs.parameters import help_of
from agentmail.verbs.shapes import outcome_of

TEXT, FLAG, NUMBER, COUNT, LIST = "string", "boolean", "number", "integer", "array"
#: The annotations of verbs, as they are written there.
TYPES = {
    "bool": FLAG,
    "float | None": NUMBER,
    "Limit": COUNT,
    "list[str]": LIST,
    "Sequence[str]": LIST,
}
#: The words that some parameters take.
CHOICES = {"priority": PRIORITIES, "kind": KINDS, "sender_kind": SENDER_KINDS}
#: Whoever calls is known from the connection.
KNOWN = ("identity", "sender")
#: On the command line this comes on standard input; there is none here.
BODY, AS_ARGUMENT = "Body", "text"
#: The key of a result that no outcome has: some hosts show a model the structured content and not the text.
NOTES = "notes"
#: Only of use where a person tries things out.
HIDDEN = ("poll",)
#: Where a command line differs from a tool.
HELP = {
    "timeout": "Seconds to wait; then there are no messages.",
    "evidence": 'Pointers as JSON texts, such as {"type": "commit", "id": "1a2b3c"}.',
    "retry": "A message of yours: send it again to those whom it did not reach. Leave the required ones empty.",
}
#: What holds where an argument is left out: a model has no use for a list without end, and hosts give up on a call
#: after a minute.
DEFAULTS: dict[str, int] = {"limit": 50, "timeout": 45}


class Parameter:
    """One argument of a tool: its name, the verb's parameter that it fills, its kind of JSON value."""

    __slots__ = ("fills", "kind", "name", "required")

    def __init__(self, name: str, fills: str, kind: str, required: bool) -> None:
        self.name = name
        self.fills = fills
        self.kind = kind
        self.required = required


def parameters_of(verb: typing.Callable[..., Any]) -> dict[str, Parameter]:
    """The arguments of a verb's tool, by name, in the order of the signature."""
    _, *declared = inspect.signature(verb).parameters.values()
    with_task = any(one.name == "task" for one in declared)
    found = {}
    for one in declared:
        written = str(one.annotation)
        if one.name in HIDDEN:
            continue
        if written == BODY:
            # A message of a subject alone has to be meant: then the text is given, and empty.
            found[AS_ARGUMENT] = Parameter(AS_ARGUMENT, one.name, TEXT, not with_task)
            continue
        required = one.default is inspect.Parameter.empty and one.name not in KNOWN
        found[one.name] = Parameter(one.name, one.name, TYPES.get(written, TEXT), required)
    return found


def input_schema(name: str, parameters: typing.Iterable[Parameter]) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    listed = list(parameters)
    return {
        "type": "object",
        "properties": {one.name: _property(name, one) for one in listed},
        "required": [one.name for one in listed if one.required],
        "additionalProperties": False,
    }


def _property(verb: str, one: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"type": one.kind, "description": HELP.get(one.name) or help_of(verb, one.name)}
    if one.kind == LIST:
        found["items"] = {"type": TEXT}
    if one.name in CHOICES and one.kind == TEXT:
        found["enum"] = list(CHOICES[one.name])
    if one.kind in (COUNT, NUMBER):
        found["minimum"] = 1 if one.kind == COUNT else 0
    if one.name in DEFAULTS:
        found["default"] = DEFAULTS[one.name]
    return found


def output_schema(name: str) -> dict[str, Any]:
    """The schema of a result: the outcome of the verb, and what there is to say about it."""
    found = _schema(outcome_of(name))
    found["properties"] = {NOTES: {"type": LIST, "items": {"type": TEXT}}, **found["properties"]}
    return found


def _schema(hint: Any) -> dict[str, Any]:
    if typing.is_typeddict(hint):
        return _object(hint)
    if isinstance(hint, types.UnionType):
        return {"type": [_schema(one)["type"] for one in typing.get_args(hint)]}
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return {"type": LIST, "items": _schema(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1])}
    return {"type": {str: TEXT, bool: FLAG, int: COUNT, float: NUMBER, types.NoneType: "null"}[hint]}


def _object(shape: type) -> dict[str, Any]:
    """Whole in each place where it occurs: some hosts do not follow references."""
    hints = typing.get_type_hints(shape)
    written = typing.get_type_hints(shape, include_extras=True)
    may_be_absent = {key for key, hint in written.items() if typing.get_origin(hint) is typing.NotRequired}
    return {
        "type": "object",
        "properties": {key: _schema(hint) for key, hint in hints.items()},
        "required": [key for key in hints if key not in may_be_absent],
    }
