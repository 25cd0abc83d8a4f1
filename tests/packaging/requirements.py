"""What a list of requirements comes to in this environment, with everything that those require."""

from __future__ import annotations

from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(lines: list[str], extra: str = "") -> dict[str, Distribution]:
    """The installed distributions that the requirement lines stand for, by canonical name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    open_ends = [(Requirement(line), extra) for line in lines]
    while open_ends:
        requirement, wanted = open_ends.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": wanted}):
            continue
        name = canonicalize_name(requirement.name)
        # What its own extras require comes with it.
        for inner in ("", *requirement.extras):
            if (name, inner) in seen:
                continue
            seen.add((name, inner))
            found[name] = distribution(name)
            open_ends += [(Requirement(line), inner) for line in found[name].requires or []]
    return found
