"""An index holds nothing longer than the mailbox does, shows it to nobody else, and never travels with the bus."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.verbs.archive import archive
from agentmail.verbs.prune import prune
from agentmail.verbs.register import register
from agentmail.verbs.rename import rename
from agentmail.verbs.search import search
from agentmail.verbs.send import send
from agentmail.verbs.threads import threads
from agentmail.views.reading import MANY
from tests.support.worlds import age
from tests.views.indexes import file_of, files_below, with_index, without_index, write_index

SECRET = "xyzzyqvwx-zqjkvwq"
#: Pieces of the secret that a table of trigrams would keep.
PIECES = [SECRET, *(SECRET[start : start + 3] for start in range(len(SECRET) - 2))]

pytestmark = pytest.mark.usefixtures("private_umask")


@pytest.fixture
def home(quick_path: Path) -> Path:
    (quick_path / "home").mkdir(mode=0o700)
    return quick_path / "home"


@pytest.fixture
def bus(quick_path: Path) -> Bus:
    """Beta has a secret in the archive, and something else."""
    bus = Bus(str(quick_path / "bus"))
    for agent in ("alpha", "beta"):
        register(with_index(bus, quick_path / "home"), agent, "-", "takes part")
    call = without_index(bus)
    found = [
        send(call, "alpha", "beta", slug, body=text)["id"]
        for slug, text in (("one", SECRET), ("two", "1234"))
    ]
    archive(call, "beta", found)
    return bus


def secret_file(bus: Bus) -> Path:
    (found,) = Path(bus.root, "beta/archive").glob("*-one.md.gz")
    return found


def kept(home: Path) -> set[str]:
    """The pieces of the secret that any file of the machine's state has."""
    data = b"".join(path.read_bytes() for path in (home / ".agents").rglob("*") if path.is_file())
    return {piece for piece in PIECES if piece.encode() in data}


def test_the_index_does_hold_text(bus: Bus, home: Path) -> None:
    """The tests below are not blind."""
    assert write_index(bus, "beta", home)
    assert kept(home) == set(PIECES)


def test_a_prune_removes_the_text_from_the_index_at_once(bus: Bus, home: Path) -> None:
    write_index(bus, "beta", home)
    age(secret_file(bus), 100)
    done = prune(with_index(bus, home), "beta", "60")
    assert (len(done["removed"]), done["failed"]) == (1, [])
    assert kept(home) == set()
    assert file_of(bus, "beta", home).is_sealed()
    assert len(search(with_index(bus, home), "beta", "1234")["matches"]) == 1


def test_a_dry_run_leaves_the_index_alone(bus: Bus, home: Path) -> None:
    write_index(bus, "beta", home)
    age(secret_file(bus), 100)
    assert len(prune(with_index(bus, home), "beta", "60", dry_run=True)["removed"]) == 1
    assert kept(home) == set(PIECES)


def unsealed(bus: Bus, home: Path) -> None:
    Path(file_of(bus, "beta", home).path).with_suffix(".seal").unlink()


def garbage(bus: Bus, home: Path) -> None:
    with open(file_of(bus, "beta", home).path, "r+b") as file:
        file.write(b"no database")


@pytest.mark.parametrize("damage", [unsealed, garbage])
def test_a_prune_removes_an_index_that_it_cannot_write(
    bus: Bus, home: Path, damage: Callable[[Bus, Path], None]
) -> None:
    write_index(bus, "beta", home)
    damage(bus, home)
    age(secret_file(bus), 100)
    assert prune(with_index(bus, home), "beta", "60")["failed"] == []
    assert kept(home) == set()
    assert not file_of(bus, "beta", home).exists()


class KeepsIndexes(Disk):
    """A disk that does not remove the files of an index."""

    def invoke(self, _op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if _op == "unlink" and args[0].endswith((".db", ".seal")):
            raise PermissionError(errno.EPERM, "no", args[0])
        return super().invoke(_op, function, *args, **kwargs)


def test_a_prune_says_where_text_may_be_left(bus: Bus, home: Path) -> None:
    write_index(bus, "beta", home)
    age(secret_file(bus), 100)
    (failure,) = prune(with_index(Bus(bus.root, KeepsIndexes()), home), "beta", "60")["failed"]
    assert "the text of what was removed may still be in it" in failure


def test_what_another_program_removed_leaves_the_index_at_its_next_use(bus: Bus, home: Path) -> None:
    write_index(bus, "beta", home)
    secret_file(bus).unlink()
    call = with_index(bus, home)
    assert len(threads(call, "beta")["threads"]) == 1
    call.finish()
    assert kept(home) == set()


def test_a_message_that_only_moves_rewrites_no_index(bus: Bus, home: Path) -> None:
    id = send(without_index(bus), "alpha", "beta", "three", body="text")["id"]
    write_index(bus, "beta", home)
    archive(without_index(bus), "beta", [id])
    call = with_index(bus, home)
    threads(call, "beta")
    assert call.slow == []


def test_a_rename_removes_the_index_of_the_old_name(bus: Bus, home: Path) -> None:
    write_index(bus, "beta", home)
    assert len(rename(with_index(bus, home), "beta", "delta")["warnings"]) == 1
    assert kept(home) == set()


def test_only_the_user_can_open_any_of_it_whatever_the_umask(bus: Bus, home: Path) -> None:
    before = os.umask(0)
    try:
        write_index(bus, "beta", home)
    finally:
        os.umask(before)
    paths = list((home / ".agents" / "machine").rglob("*"))
    assert {path.suffix for path in paths} >= {".db", ".seal"}
    for path in paths:
        wrong = stat.S_IMODE(path.stat().st_mode) & 0o077
        assert not wrong, path


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604])
def test_an_index_that_others_could_open_is_not_read(bus: Bus, home: Path, mode: int) -> None:
    write_index(bus, "beta", home)
    file = file_of(bus, "beta", home)
    Path(file.path).chmod(mode)
    assert not file.is_sealed()


def test_nothing_of_it_is_in_the_bus(bus: Bus, home: Path) -> None:
    before = files_below(Path(bus.root))
    write_index(bus, "beta", home)
    search(with_index(bus, home), "beta", SECRET)
    assert files_below(Path(bus.root)) == before


def test_a_bus_that_holds_the_machine_files_gets_no_index(bus: Bus) -> None:
    home = Path(bus.root)
    with pytest.raises(OSError, match="must not be copied"):
        write_index(bus, "beta", home)
    assert len(search(with_index(bus, home), "beta", SECRET)["matches"]) == 1
    assert not (home / ".agents" / "machine").exists()


def test_a_bus_in_the_place_of_another_has_no_part_of_its_index(
    bus: Bus, home: Path, quick_path: Path
) -> None:
    write_index(bus, "beta", home)
    os.rename(bus.root, quick_path / "elsewhere")
    other = Bus(bus.root)
    register(with_index(other, home), "beta", "-", "takes part")
    assert search(with_index(other, home), "beta", SECRET)["matches"] == []


def test_a_small_mailbox_gets_no_index(bus: Bus, home: Path) -> None:
    call = with_index(bus, home)
    search(call, "beta", SECRET)
    call.finish()
    assert not file_of(bus, "beta", home).exists()
    assert MANY >= 100
