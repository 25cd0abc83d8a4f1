"""What ./dev installs is written down to the version, and is what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.requirements import closure


@pytest.fixture(scope="module")
def pins(root: Path) -> dict[str, str]:
    lines = (root / ".ci/constraints.txt").read_text().splitlines()
    pinned = [
        re.fullmatch(r"([a-z0-9-]+)==([0-9][0-9a-z.]*)", line) for line in lines if not line.startswith("#")
    ]
    assert all(pinned), "a line that is no exact pin"
    return {match[1]: match[2] for match in pinned if match}


@pytest.fixture(scope="module")
def requirements(root: Path) -> list[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"]]


def test_each_pin_lies_in_the_range_that_is_asked_for(pins, requirements):
    for requirement in map(Requirement, requirements):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_everything_that_is_required_in_the_end_is_pinned_and_nothing_else(pins, requirements):
    assert set(pins) == set(closure(requirements))


def test_the_tests_run_with_the_pinned_versions(pins):
    assert {name: version(name) for name in pins} == pins
