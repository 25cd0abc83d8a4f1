"""Directories are 0700 and files 0600, whatever umask the caller had."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.processes.within import umask
from tests.support.cli import Cli


def modes(bus: Path) -> dict[str, str]:
    """The modes of everything on a bus that are not the ones promised."""
    found = {}
    for path in (bus, *bus.rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode != wanted:
            found[str(path.relative_to(bus))] = f"{mode:o}"
    return found


@pytest.mark.parametrize("mask", ["000", "022", "777"])
def test_every_command_leaves_the_same_modes_under_umask(run: Cli, tmp_path: Path, mask: str) -> None:
    run.bus.rmdir()  # so that `register` makes the bus itself
    masked = umask(run, mask)
    for identity in ("alpha", "beta"):
        assert masked("register", identity, str(tmp_path), "takes", "part").code == 0
    assert modes(run.bus) == {}

    first = masked("send", "alpha", "beta", "first", "A", stdin="text\n").out.strip()
    second = masked("send", "alpha", "beta", "second", "B", stdin="text\n").out.strip()
    assert masked("reply", "beta", first, stdin="text\n").code == 0
    assert masked("archive", "beta", first, second).code == 0
    assert masked("unarchive", "beta", second).code == 0
    assert masked("register", "beta", str(tmp_path), "takes", "another", "part").code == 0
    assert masked("prune", "beta", "1").code == 0
    assert modes(run.bus) == {}
    assert (run.bus / "beta/inbox" / f"{second}.md").is_file()
    assert (run.bus / "beta/archive" / f"{first}.md.gz").is_file()


@pytest.mark.parametrize("mask", ["000", "777"])
def test_a_folder_made_on_demand_has_the_same_mode_under_umask(run: Cli, mask: str) -> None:
    assert run("register", "beta", str(run.home), "takes", "part").code == 0
    for folder in ("tmp", "inbox", "archive"):
        (run.bus / "beta" / folder).rmdir()
    assert umask(run, mask)("send", "alpha", "beta", "hello", "S").code == 0
    assert modes(run.bus) == {}


def test_a_registry_that_is_narrower_is_not_widened(run: Cli) -> None:
    assert run("register", "beta", str(run.home), "takes", "part").code == 0
    (run.bus / "registry.md").chmod(0o400)
    assert umask(run, "000")("register", "gamma", str(run.home), "takes", "part").code == 0
    assert stat.S_IMODE((run.bus / "registry.md").stat().st_mode) == 0o400


def test_a_registry_that_others_may_read_is_narrowed_by_the_next_change(run: Cli) -> None:
    assert run("register", "beta", str(run.home), "takes", "part").code == 0
    (run.bus / "registry.md").chmod(0o644)
    assert run("register", "gamma", str(run.home), "takes", "part").code == 0
    assert stat.S_IMODE((run.bus / "registry.md").stat().st_mode) == 0o600
