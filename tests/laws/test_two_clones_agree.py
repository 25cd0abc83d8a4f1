"""Two clones of a bus in which both sides do everything merge with plain git: no conflict, equal in the end, whole."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path

import pytest

from tests.support.clones import AGENTS, MINUTE, Machine, content, two_clones
from tests.support.in_process import run_in_process
from tests.support.reader import read_bus
from tests.support.worlds import age

ROUNDS = 4

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def clones(quick_path: Path) -> tuple[Machine, Machine]:
    return two_clones(quick_path)


def act(machine: Machine, chance: random.Random, number: int) -> None:
    """A round of everything that one can do, chosen by what is there."""
    for step in range(14):
        agent = chance.choice(AGENTS)
        others = ",".join(sorted(chance.sample(AGENTS, chance.choice((1, 1, 2)))))
        waiting = machine.waiting(agent)
        archived = [name for name in machine.names(agent, "archive") if name.endswith(".md.gz")]
        what = chance.choice(
            ("send", "send", "reply", "archive", "archive", "unarchive", "prune", "prune sent", "ack")
        )
        if what == "send":
            machine.ok("send", agent, others, f"r{number}-{step}")
        elif what == "reply" and waiting:
            machine("reply", agent, chance.choice(waiting))
        elif what == "archive" and waiting:
            machine.ok("archive", agent, chance.choice(waiting))
        elif what == "unarchive" and archived:
            machine.ok("unarchive", agent, chance.choice(archived))
        elif what.startswith("prune"):
            folder = "sent" if what == "prune sent" else "archive"
            for name in machine.names(agent, folder)[:2]:
                age(machine.bus / agent / folder / name, 100)
            ended = run_in_process(("prune", agent), machine.bus)  # by the real clock, as the ages are
            assert ended.code == 0, ended
        elif what == "ack" and waiting:
            machine.ok(
                "ack", agent, chance.choice(waiting), "--session", chance.choice(("s1", "s2")), "--as", agent
            )
        machine.ok("check", agent, "--session", "s1", "--as", agent)
    machine.ok("register", f"{machine.name}-{number}", "-", "comes", "later")
    machine.clock.moment += 10 * MINUTE


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_rounds_of_everything_on_both_sides_merge_in_either_order_and_agree(
    quick_path: Path, seed: int
) -> None:
    ends = []
    for order in (0, 1):
        place = quick_path / f"order-{order}"
        pair = two_clones(place)
        for number in range(ROUNDS):
            for machine in pair:
                act(machine, random.Random(f"{seed} {number} {machine.name}"), number)
            first, second = pair if order == 0 else pair[::-1]
            for machine in (first, second, first):
                machine.sync()
            assert content(first) == content(second)
        for machine in pair:
            machine.ok("doctor", "--fix")
            machine.ok("doctor")
            boxes = read_bus(machine.bus)
            assert all(not box.broken and not set(box.inbox) & set(box.archive) for box in boxes.values())
            assert len(machine.ok("roster").splitlines()) == len(AGENTS) + 2 * ROUNDS
        ends.append(content(pair[0]))
    assert ends[0] == ends[1]


def test_a_copy_pruned_on_both_sides_and_a_message_taken_back_on_one_are_not_taken_for_a_rename(
    clones: tuple[Machine, Machine],
) -> None:
    one, other = clones
    id = one.ok("send", "alpha", "beta", "x")
    one.ok("archive", "beta", id)
    one.sync()
    other.sync()
    for machine in clones:
        (machine.bus / "alpha" / "sent" / f"{id}.md").unlink()
    one.ok("unarchive", "beta", id)
    one.sync()
    other.sync()
    one.sync()
    assert one.waiting("beta") == other.waiting("beta") == [id]
    assert not one.names("alpha", "sent")


def test_one_message_packed_by_two_versions_of_zlib_is_no_conflict(clones: tuple[Machine, Machine]) -> None:
    one, other = clones
    id = one.ok("send", "alpha", "beta", "x")
    one.sync()
    other.sync()
    for machine in clones:
        machine.ok("archive", "beta", id)
    packed = other.bus / "beta" / "archive" / f"{id}.md.gz"
    packed.write_bytes(gzip.compress(gzip.decompress(packed.read_bytes()), 1))
    one.sync()
    other.sync()
    one.sync()
    assert content(one) == content(other)


def test_two_rows_for_one_identity_are_both_kept_and_shown(clones: tuple[Machine, Machine]) -> None:
    one, other = clones
    one.ok("register", "beta", "-", "reads")
    other.ok("register", "beta", "-", "writes")
    one.sync()
    other.sync()
    registry = (other.bus / "registry.md").read_text()
    assert ("| reads |" in registry, "| writes |" in registry) == (True, True)
    ended = other("doctor", "--fix")
    assert ended.code == 1
    assert "several rows for beta" in ended.out
