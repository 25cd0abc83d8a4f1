"""What `doctor` says of an index, and that `--fix` only ever removes it: it is made anew when it is needed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.layout import Bus
from agentmail.verbs.doctor import doctor
from agentmail.verbs.search import search
from tests.views.indexes import file_of, let_a_tick_pass, with_index, without_index, write_index

ARCHIVED = "20260107-0900-alpha-quoted"


def found(bus: Bus, home: Path, *, fix: bool = False) -> list[dict[str, Any]]:
    findings = doctor(with_index(bus, home), fix=fix)["findings"]
    return [dict(one) for one in findings if "the index" in one["what"]]


def edit_in_place(bus: Bus) -> None:
    """Another text in a file of the archive: no view sees that without looking at each."""
    path = Path(bus.root, "beta/archive/20260101-0900-alpha-first.md.gz")
    let_a_tick_pass(bus, "beta")
    path.write_bytes(Path(bus.root, f"beta/archive/{ARCHIVED}.md.gz").read_bytes())


def open_to_others(bus: Bus, home: Path) -> None:
    Path(file_of(bus, "beta", home).path).chmod(0o644)


def lose_the_mailbox(bus: Bus, _home: Path) -> None:
    shutil.rmtree(Path(bus.root, "beta"))
    registry = Path(bus.root, "registry.md")
    registry.write_text(
        "".join(line for line in registry.read_text().splitlines(keepends=True) if "| beta |" not in line)
    )


def test_an_index_that_is_true_is_no_finding(full: Bus, home: Path) -> None:
    assert found(full, home) == []
    write_index(full, "beta", home)
    assert found(full, home) == []


def test_a_file_that_was_edited_in_its_place_is_found_and_the_index_made_anew(full: Bus, home: Path) -> None:
    write_index(full, "beta", home)
    edit_in_place(full)
    (one,) = found(full, home)
    assert "does not know 1 edited files of beta/archive" in one["what"]
    (one,) = found(full, home, fix=True)
    assert one["fixed"]
    assert found(full, home) == []
    expected = search(without_index(full), "beta", "quote")
    assert search(with_index(full, home), "beta", "quote") == expected
    assert len(expected["matches"]) == 2


@pytest.mark.parametrize(
    ("damage", "words"),
    [(open_to_others, "can be opened by others"), (lose_the_mailbox, "that is not there")],
)
def test_what_should_not_be_there_is_removed_by_a_fix(full: Bus, home: Path, damage: Any, words: str) -> None:
    write_index(full, "beta", home)
    path = Path(file_of(full, "beta", home).path)
    damage(full, home)
    (one,) = found(full, home)
    assert words in one["what"]
    found(full, home, fix=True)
    assert not os.path.lexists(path)
    assert found(full, home) == []
