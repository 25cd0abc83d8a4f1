"""A staging file goes when its writer is dead: by its lock, by 36 hours of the disk's own clock, by its name."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from agentmail.core.layout import Clock
from agentmail.core.retention import reap
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from tests.support.clocks import DAY, Fixed
from tests.support.worlds import World, age, tell

CLAIM = "20260704-0930-alpha-died.md"


def reaped(world: World, clock: Clock | None = None) -> list[str]:
    with world.bus(clock=clock).mailbox("beta") as box:
        return sorted(reap(box))


@pytest.fixture
def claim(world: World) -> Path:
    """The staging file of a writer that died three days ago."""
    return world.path / "beta" / "tmp" / CLAIM


def test_a_dead_claim_goes(world: World, claim: Path) -> None:
    assert reaped(world) == [f"tmp/{CLAIM}"]
    assert not os.listdir(claim.parent)


@pytest.mark.parametrize("hours, goes", [(0, False), (35.9, False), (36.1, True), (-1, False)])
def test_36_hours_are_waited_for(world: World, claim: Path, hours: float, goes: bool) -> None:
    age(claim, hours / 24)
    assert bool(reaped(world)) == goes


def test_a_live_writer_is_never_robbed(world: World, claim: Path) -> None:
    with claim.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.utime(claim, (0, 0))
        assert reaped(world) == []
    assert reaped(world) == [f"tmp/{CLAIM}"]


@pytest.mark.parametrize("years", [-30, 30])
def test_the_clock_of_the_machine_does_not_count(world: World, claim: Path, years: int) -> None:
    age(claim, 0.5)
    assert reaped(world, Fixed(Clock().now_ns() + years * 365 * DAY)) == []


def test_what_is_delivered_already_goes_at_once(world: World, claim: Path) -> None:
    claim.unlink()
    os.link(world.path / "beta" / "inbox" / f"{world.waiting}.md", claim)
    assert reaped(world) == [f"tmp/{CLAIM}"]
    assert (world.path / "beta" / "inbox" / f"{world.waiting}.md").exists()


@pytest.mark.parametrize("folder", ["tmp", "inbox", "archive", "sent"])
def test_hidden_staging_goes_from_every_folder(world: World, claim: Path, folder: str) -> None:
    claim.unlink()
    staged = world.path / "beta" / folder / ".tmp-1-abc"
    staged.parent.mkdir(exist_ok=True)
    staged.write_bytes(b"")
    age(staged, 2)
    assert reaped(world) == [f"{folder}/.tmp-1-abc"]


@pytest.mark.parametrize("name", ["notes.txt", ".other", "20260704-0930.md", "tmp-1", ".stfolder"])
def test_what_is_not_ours_stays(world: World, claim: Path, name: str) -> None:
    claim.rename(claim.with_name(name))
    assert reaped(world) == []
    assert claim.with_name(name).exists()


@pytest.mark.parametrize("kind", ["a directory", "a FIFO", "a symlink"])
def test_what_is_no_file_stays(world: World, claim: Path, kind: str) -> None:
    claim.unlink()
    if kind == "a directory":
        claim.mkdir()
    elif kind == "a FIFO":
        os.mkfifo(claim)
    else:
        claim.symlink_to(world.path / "registry.md")
    if kind != "a symlink":
        os.utime(claim, (0, 0))
    assert reaped(world) == []
    assert os.path.lexists(claim)


def test_a_stale_claim_costs_its_id_and_no_message(world: World, claim: Path) -> None:
    assert tell(world.bus(), "alpha", "beta", "died") == f"{CLAIM[:-3]}-2"


def test_archiving_reaps(world: World, claim: Path) -> None:
    archive(Call(world.bus(clock=Clock())), "beta", [world.waiting])
    assert not os.listdir(claim.parent)
