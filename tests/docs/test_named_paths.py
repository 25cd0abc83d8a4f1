"""Every file and package that the architecture page and the guide for contributors name exists."""

from __future__ import annotations

import re

import pytest

from tests.support.cli import ROOT

#: Packages that the page announces for later.
PLANNED = {"gateway/", "transports/"}
PATH = re.compile(r"`((?:[\w<>.-]+/)+[\w<>.-]*)`")


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_path_that_a_guide_names_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = {path.removeprefix("agentmail/") for path in PATH.findall(text)}
    assert len(named) > 5
    missing = {path for path in named - PLANNED if not exists(path)}
    assert missing == set()


def exists(path: str) -> bool:
    """Is the path in the repository or in agentmail? `<name>.py` stands for any module."""
    pattern = path.replace("<name>", "*").rstrip("/")
    return any(next(root.glob(pattern), None) for root in (ROOT, ROOT / "agentmail"))
