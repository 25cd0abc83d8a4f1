"""The outcomes of the verbs as real TypedDicts: for schemas and the reference, never for a call.

The classes beside the verbs say a shape without importing `typing`; here each becomes the TypedDict that it stands for.
"""

from __future__ import annotations

import typing
from importlib import import_module
from typing import Any

from agentmail.doctor import finding
from agentmail.verbs import call, delivered
from agentmail.verbs.catalogue import VERBS, load_verb


def outcome_of(verb: str) -> type:
    """The shape that a verb returns."""
    return shapes()[load_verb(verb).__annotations__["return"]]


def shapes() -> dict[str, type]:
    """Every shape by its name, which is unique."""
    declared = _declared()
    made: dict[str, type] = {}
    for name in declared:
        _make(name, declared, made)
    return made


def _declared() -> dict[str, type]:
    """The classes that say a shape, in the modules of the verbs."""
    base: Any = call.TypedDict
    names = [line.partition(":")[0] for line in VERBS.values()]
    modules = [delivered, *(import_module(f"agentmail.verbs.{name}") for name in names)]
    classes = [thing for module in modules for thing in vars(module).values() if isinstance(thing, type)]
    ours = {one.__name__: one for one in classes if issubclass(one, base) and one.__module__ != call.__name__}
    return {**ours, "Finding": finding.Finding}


def _make(name: str, declared: dict[str, type], made: dict[str, type]) -> type:
    """Make the TypedDict of a name, after those that it names."""
    if name not in made:
        shape = declared[name]
        if typing.is_typeddict(shape):
            made[name] = shape
            return shape
        fields: dict[str, Any] = {}
        for parent in reversed(shape.__mro__):
            for key, written in vars(parent).get("__annotations__", {}).items():
                fields[key] = eval(written, {"NotRequired": typing.NotRequired}, _Names(declared, made))  # noqa: S307
        made[name] = typing.TypedDict(name, fields)  # type: ignore[operator]
        made[name].__doc__ = shape.__doc__
    return made[name]


class _Names(dict[str, type]):
    """The names that an annotation of ours may use, each made when it is asked for."""

    def __init__(self, declared: dict[str, type], made: dict[str, type]) -> None:
        super().__init__()
        self.declared = declared
        self.made = made

    def __missing__(self, name: str) -> type:
        if name not in self.declared:
            raise KeyError(name)
        return _make(name, self.declared, self.made)
