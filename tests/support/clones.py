"""Two machines with clones of one bus, carried by git as docs/git.md says."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

from tests.support.cli import Ran
from tests.support.clocks import SECOND, Fixed
from tests.support.in_process import run_in_process
from tests.support.worlds import MOMENT

AGENTS = ("alpha", "beta", "gamma")
MINUTE = 60 * SECOND


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

    def keep_both(self) -> str:
        """What the page about git says to run after each pull; what it renamed."""
        return self.git("keep-both").stdout

    def sync(self) -> None:
        self.pull(check=False)
        self.keep_both()
        assert self.git("status", "--porcelain").stdout == ""
        self.git("push", "-q")

    def names(self, agent: str, folder: str) -> list[str]:
        place = self.bus / agent / folder
        return sorted(os.listdir(place)) if place.is_dir() else []

    def waiting(self, agent: str) -> list[str]:
        return [name.removesuffix(".md") for name in self.names(agent, "inbox")]


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


def two_clones(place: Path, minutes: int = 1) -> tuple[Machine, Machine]:
    """Two machines with the same bus, their clocks so many minutes apart; every agent works on both."""
    one, other = Machine(place, "one", 0), Machine(place, "other", minutes)
    one.begin()
    other.clone()
    return one, other
