"""Two clones of a bus in which both sides do everything merge with plain git: no conflict, equal in the end, whole."""

from __future__ import annotations

import gzip
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import ROOT, Ran
from tests.support.clocks import SECOND, Fixed
from tests.support.in_process import run_in_process
from tests.support.reader import read_bus
from tests.support.worlds import MOMENT, age

AGENTS = ("alpha", "beta", "gamma")
ROUNDS = 4
MINUTE = 60 * SECOND

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Machine:
    """A bus that is a clone, with a home and a machine id of its own, and a clock a minute apart from the other's."""

    def __init__(self, place: Path, name: str, minutes: int) -> None:
        self.name = name
        self.bus = place / name / "bus"
        self.home = place / name / "home"
        (self.home / ".agents").mkdir(parents=True)
        (self.home / ".agents" / "machine.json").write_text(f'{{"machine": "machine-{name}"}}')
        self.clock = Fixed(MOMENT + minutes * MINUTE)
        self.remote = place / "team.git"

    def __call__(self, *words: str) -> Ran:
        self.clock.moment += SECOND
        return run_in_process(words, self.bus, b"text of " + self.name.encode(), clock=self.clock)

    def ok(self, *words: str) -> str:
        ended = self(*words)
        assert ended.code == 0, (words, ended)
        return ended.out.strip()

    def git(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["git", *words], cwd=self.bus, env=self.environment(), capture_output=True, text=True
        )
        assert not check or done.returncode == 0, (self.name, words, done.stdout, done.stderr)
        return done

    def environment(self) -> dict[str, str]:
        who = {f"GIT_{role}_{key}": "me" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
            **who,
        }

    def set_up(self) -> None:
        """What the page about git says to do once: the program's own script."""
        subprocess.run(
            ["sh", "-e"], input=self.ok("git"), cwd=self.bus, env=self.environment(), text=True, check=True
        )

    def begin(self) -> None:
        self.bus.mkdir(mode=0o700)
        for agent in AGENTS:
            self.ok("register", agent, "-", "takes", "part")
        self.git("init", "-q", "-b", "main")
        self.set_up()
        self.git("init", "-q", "--bare", "-b", "main", str(self.remote))
        self.git("remote", "add", "origin", str(self.remote))
        self.commit()
        self.git("push", "-q", "-u", "origin", "main")

    def clone(self) -> None:
        self.git_in(self.bus.parent, "clone", "-q", str(self.remote), "bus")
        self.set_up()
        self.ok("doctor", "--fix")

    def git_in(self, place: Path, *words: str) -> None:
        subprocess.run(["git", *words], cwd=place, env=self.environment(), check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        if self.git("status", "--porcelain").stdout:
            self.git("commit", "-q", "-m", f"mail of {self.name}")

    def pull(self, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        self.commit()
        return self.git("pull", "-q", "--no-edit", check=check)

    def sync(self) -> None:
        self.pull()
        assert self.git("status", "--porcelain").stdout == ""
        self.git("push", "-q")

    def names(self, agent: str, folder: str) -> list[str]:
        place = self.bus / agent / folder
        return sorted(os.listdir(place)) if place.is_dir() else []

    def waiting(self, agent: str) -> list[str]:
        return [name.removesuffix(".md") for name in self.names(agent, "inbox")]


@pytest.fixture
def clones(quick_path: Path) -> tuple[Machine, Machine]:
    """Two machines with the same bus; every agent works on both."""
    one, other = Machine(quick_path, "one", 0), Machine(quick_path, "other", 1)
    one.begin()
    other.clone()
    return one, other


def content(machine: Machine) -> dict[str, bytes]:
    """What git carries of a bus: every file, archives by their text, the registry by its rows whatever their order."""
    found = {}
    for name in machine.git("ls-files").stdout.splitlines():
        data = (machine.bus / name).read_bytes()
        if name.endswith(".gz"):
            data = gzip.decompress(data)
        if name == "registry.md":
            data = b"\n".join(sorted(data.splitlines()))
        found[name] = data
    return found


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
        pair = Machine(place, "one", 0), Machine(place, "other", 1)
        pair[0].begin()
        pair[1].clone()
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


def keep_both(machine: Machine) -> None:
    """The fix that the page about git gives, as it stands there."""
    (block,) = re.findall(
        r"```sh\n(keep_both\(\) \{.*?^\})\n```", (ROOT / "docs/git.md").read_text(), re.DOTALL | re.MULTILINE
    )
    script = f"set -e\n{block}\nkeep_both\n"
    subprocess.run(["sh"], input=script, cwd=machine.bus, env=machine.environment(), text=True, check=True)


@pytest.mark.parametrize("archived", [False, True], ids=["both wait", "both are archived"])
def test_one_id_minted_on_two_machines_is_a_plain_conflict_that_loses_nothing(
    clones: tuple[Machine, Machine], archived: bool
) -> None:
    one, other = clones
    other.clock.moment = one.clock.moment
    id = one.ok("send", "alpha", "beta", "x")
    assert other.ok("send", "alpha", "beta", "x") == id
    if archived:
        for machine in clones:
            machine.ok("archive", "beta", id)
    one.sync()
    conflict = other.pull(check=False)
    assert conflict.returncode == 1
    path = f"beta/archive/{id}.md.gz" if archived else f"beta/inbox/{id}.md"
    assert f"CONFLICT (add/add): Merge conflict in {path}" in conflict.stdout
    for stage in ("2", "3"):
        assert other.git("cat-file", "-e", f":{stage}:{path}").returncode == 0, "git has both"

    keep_both(other)
    other.sync()
    one.sync()
    for machine in clones:
        box = read_bus(machine.bus)["beta"]
        assert {name: text.rpartition(b"---\n")[2] for name, text in box.received.items()} == {
            id: b"text of other",
            f"{id}-2": b"text of one",
        }
        assert b"id: %s-2\n" % id.encode() in box.received[f"{id}-2"]
        assert b"thread: %s-2\n" % id.encode() in box.received[f"{id}-2"]
        assert not box.broken
        assert set(read_bus(machine.bus)["alpha"].sent) == {id, f"{id}-2"}
        machine.ok("doctor", "--fix")
        machine.ok("doctor")
        for name in (id, f"{id}-2"):
            machine.ok("thread", "beta", name)
    assert content(one) == content(other)


def test_where_one_of_the_two_is_archived_both_stay_and_archiving_keeps_both(
    clones: tuple[Machine, Machine],
) -> None:
    one, other = clones
    other.clock.moment = one.clock.moment
    id = one.ok("send", "alpha", "beta", "x")
    assert other.ok("send", "alpha", "beta", "x") == id
    one.ok("archive", "beta", id)
    one.sync()
    assert other.pull(check=False).returncode == 1, "the sender's copies conflict all the same"
    keep_both(other)
    assert "already-archived" in other.ok("check", "beta")
    assert other("archive", "beta", id).code == 0
    texts = {
        gzip.decompress(path.read_bytes()).rpartition(b"---\n")[2]
        for path in (other.bus / "beta/archive").iterdir()
    }
    assert texts == {b"text of one", b"text of other"}
