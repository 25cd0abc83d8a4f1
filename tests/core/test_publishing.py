"""From a staged file to its final name, on every kind of file system and after every lie of one."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.errors import Unconfirmed
from agentmail.core.fs import Disk
from agentmail.core.publishing import LINKED, MOVED, TAKEN, Unsynced, publish_new, publish_staged
from tests.support.reader import header_and_body, read_box
from tests.support.worlds import BODY, World, make_world, tell


class Without(Disk):
    """A disk without some calls: each fails with its error; or is made, and then reports one."""

    def __init__(self, missing: dict[str, int], lying: dict[str, int] | None = None) -> None:
        super().__init__()
        self.missing = missing
        self.lying = lying or {}

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One call."""
        if op in self.missing:
            raise OSError(self.missing[op], os.strerror(self.missing[op]))
        result = super().invoke(op, function, *args, **kwargs)
        if op in self.lying:
            code = self.lying[op]
            raise OSError(code, os.strerror(code))
        return result


NO_LINKS = {"link": errno.EPERM}
NEITHER = {"link": errno.EPERM, "rename_new": errno.EINVAL}
WAYS: dict[str, tuple[dict[str, int], str]] = {
    "hard links": ({}, LINKED),
    "no hard links": (NO_LINKS, MOVED),
    "no hard links, said otherwise": ({"link": errno.ENOSYS}, MOVED),
    "neither": (NEITHER, MOVED),
    "neither, said otherwise": ({"link": errno.EOPNOTSUPP, "rename_new": errno.ENOSYS}, MOVED),
}


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """A directory with a staged file in it, and the file, open."""
    parent = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    (tmp_path / "staged").write_bytes(b"ours")
    fd = os.open(tmp_path / "staged", os.O_RDWR)
    yield parent, fd
    os.close(fd)
    os.close(parent)


@pytest.mark.parametrize("way", WAYS)
def test_it_gets_its_name(staged: tuple[int, int], tmp_path: Path, way: str) -> None:
    parent, fd = staged
    missing, outcome = WAYS[way]
    assert publish_staged(Without(missing), fd, "staged", parent, "final", parent) == outcome
    assert (tmp_path / "final").read_bytes() == b"ours"
    assert (tmp_path / "staged").exists() == (outcome == LINKED)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("other", ["file", "directory", "dangling symlink"])
def test_it_never_takes_another_s(staged: tuple[int, int], tmp_path: Path, way: str, other: str) -> None:
    parent, fd = staged
    final = tmp_path / "final"
    if other == "file":
        final.write_bytes(b"theirs")
    elif other == "directory":
        final.mkdir()
    else:
        final.symlink_to("nowhere")
    before = final.lstat().st_ino
    assert publish_staged(Without(WAYS[way][0]), fd, "staged", parent, "final", parent) == TAKEN
    assert final.lstat().st_ino == before
    assert (tmp_path / "staged").read_bytes() == b"ours"


@pytest.mark.parametrize("code", [errno.EEXIST, errno.EIO, errno.EPERM, errno.ENOENT])
@pytest.mark.parametrize("op", ["link", "rename_new", "rename"])
def test_what_was_done_counts_whatever_is_reported(
    staged: tuple[int, int], tmp_path: Path, op: str, code: int
) -> None:
    parent, fd = staged
    missing = {"link": {}, "rename_new": NO_LINKS, "rename": NEITHER}[op]
    outcome = publish_staged(Without(missing, {op: code}), fd, "staged", parent, "final", parent)
    assert outcome == (LINKED if op == "link" else MOVED)
    assert (tmp_path / "final").read_bytes() == b"ours"


@pytest.mark.parametrize("op", ["link", "rename_new", "rename"])
def test_what_was_not_done_is_an_error(staged: tuple[int, int], tmp_path: Path, op: str) -> None:
    parent, fd = staged
    missing = {**{"link": {}, "rename_new": NO_LINKS, "rename": NEITHER}[op], op: errno.ENOSPC}
    with pytest.raises(OSError, match="No space left"):
        publish_staged(Without(missing), fd, "staged", parent, "final", parent)
    assert os.listdir(tmp_path) == ["staged"]


@pytest.mark.parametrize("way", WAYS)
def test_placing_leaves_nothing_beside(tmp_path: Path, way: str) -> None:
    parent = os.open(tmp_path, os.O_RDONLY)
    disk = Without(WAYS[way][0])
    assert publish_new(disk, b"one", "final", parent) == WAYS[way][1]
    assert publish_new(disk, b"two", "final", parent) == TAKEN
    assert os.listdir(tmp_path) == ["final"]
    assert (tmp_path / "final").read_bytes() == b"one"
    os.close(parent)


@pytest.mark.parametrize("way", ["hard links", "no hard links"])
def test_placed_but_not_confirmed_is_told_apart_from_not_placed(tmp_path: Path, way: str) -> None:
    parent = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(Unsynced):
        publish_new(Without({**WAYS[way][0], "fsyncdir": errno.EIO}), b"one", "final", parent)
    assert os.listdir(tmp_path) == ["final"]
    with pytest.raises(OSError, match="No space") as failed:
        publish_new(Without({**WAYS[way][0], "write": errno.ENOSPC}), b"two", "other", parent)
    assert not isinstance(failed.value, Unsynced)
    assert os.listdir(tmp_path) == ["final"]
    os.close(parent)


@pytest.fixture
def world(quick_path: Path) -> World:
    return make_world(quick_path / "bus")


class OtherMount(Without):
    """Every directory is a mount of its own."""

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One call."""
        if op in ("link", "rename", "rename_new") and not str(args[0]).startswith(".tmp-"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return super().invoke(op, function, *args, **kwargs)


@pytest.mark.parametrize("disk", [Without, OtherMount])
def test_visible_but_not_confirmed_is_said_and_a_copy_is_kept(world: World, disk: type[Without]) -> None:
    bus = world.bus()
    bus.disk = disk({"fsyncdir": errno.EIO})
    with pytest.raises(Unconfirmed) as unsure:
        tell(bus, "alpha", "beta", "new")
    id = str(unsure.value.details["id"])
    assert header_and_body(read_box(world.path / "beta").inbox[id])[1] == BODY
    assert id in read_box(world.path / "alpha").sent


@pytest.mark.parametrize("way", [*WAYS, "another mount"])
def test_a_message_is_delivered_on_every_kind_of_disk(world: World, way: str) -> None:
    bus = world.bus()
    bus.disk = OtherMount({}) if way == "another mount" else Without(WAYS[way][0])
    ids = [tell(bus, "alpha", "beta", "new") for _ in range(3)]
    box = read_box(world.path / "beta")
    assert len(set(ids)) == 3
    assert all(header_and_body(box.inbox[id])[1] == BODY for id in ids)
    assert (box.hidden, box.tmp) == ([], ["20260704-0930-alpha-died.md"])
    assert set(ids) <= set(read_box(world.path / "alpha").sent)
    assert not read_box(world.path / "alpha").tmp


def test_a_claim_that_somebody_cleans_away_is_staged_again(world: World) -> None:
    class Cleaned(Disk):
        done = False

        def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if op == "link" and not self.done:
                self.done = True
                os.unlink(world.path / "beta" / "tmp" / args[0])
            return super().invoke(op, function, *args, **kwargs)

    bus = world.bus()
    bus.disk = Cleaned()
    id = tell(bus, "alpha", "beta", "new")
    assert header_and_body(read_box(world.path / "beta").inbox[id])[1] == BODY
    assert bus.disk.notes == []


def test_many_of_one_name_in_one_minute_are_all_delivered(world: World) -> None:
    ids = [tell(world.bus(), "alpha", "beta", "same") for _ in range(25)]
    assert ids == [ids[0], *(f"{ids[0]}-{number}" for number in range(2, 26))]
