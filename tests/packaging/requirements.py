"""What a list of requirements comes to in this environment, with everything that those require."""

from __future__ import annotations

from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(lines: list[str], extra: str = "") -> dict[str, Distribution]:
    """The installed distributions that the requirement lines stand for, by canonical name."""
    found: dict[str, Distribution] = {}
    open_ends = [(Requirement(line), extra) for line in lines]
    while open_ends:
        requirement, wanted = open_ends.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": wanted}):
            continue
        name = canonicalize_name(requirement.name)
        if name in found:
            continue
        found[name] = distribution(name)
        open_ends += [(Requirement(line), "") for line in found[name].requires or []]
    return found
