"""Loads one mailbox with many processes, and kills them at random with SIGKILL or cuts their power.

`python -m tests.faults.load` forks the processes: it reads an order a line, and writes an answer a line. It
has one thread and has imported everything, so a process that is killed is replaced at once and dies in the
middle of its work. With `commands` each call is a real command in a process of its own, which is killed
together with its worker, also while it starts.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults.power import cut
from tests.faults.servers import Server
from tests.faults.workers import ROLES, CommandPost, Log, Post

PR_SET_PDEATHSIG = 1  # whatever ends the program ends its processes
PR_SET_CHILD_SUBREAPER = 36  # a command whose worker was killed becomes a child of this program


@dataclass(frozen=True)
class Plan:
    """How much of a load, and what ends it: `kills` and `sends` reached, or, with `mount`, the cut."""

    bus: str
    logs: str
    seed: int
    writers: int = 4
    archivers: int = 2
    readers: int = 0
    pruners: int = 0
    kills: int = 0
    sends: int = 0
    mount: str = ""
    seconds: float = 0.0
    left_out: str = "nothing"
    #: Who sends. A registered sender's own copies keep an id from being given twice; a stranger has none, and
    #: the recipient's mailbox alone decides.
    sender: str = "alpha"
    #: True: each call is a real command; False: a call in the worker, in the middle of which most kills strike.
    commands: bool = False

    @property
    def crew(self) -> list[tuple[str, int]]:
        """The roles of all processes."""
        counts = {
            "write": self.writers,
            "archive": self.archivers,
            "check": self.readers,
            "prune": self.pruners,
        }
        return [(role, number) for role, count in counts.items() for number in range(count)]


class Load:
    """The living processes of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.random = random.Random(plan.seed)
        self.alive: dict[int, tuple[str, int]] = {}
        self.kills = 0

    def start(self, role: str, number: int) -> None:
        """Fork a process for a role."""
        pid = os.fork()
        if pid:
            os.setpgid(pid, pid)  # here too: a kill may come before the worker has run
            self.alive[pid] = (role, number)
            return
        try:
            os.setpgid(0, 0)
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            log = Log(Path(self.plan.logs, f"{role}-{number}.log"))
            try:
                ROLES[role](new_post(self.plan), log, number)
            except BaseException as error:
                log.say("failed", "none", repr(error))
        finally:
            os._exit(1)

    def kill(self, pid: int) -> tuple[str, int]:
        """Kill a worker with its command, and return its role; one that ended by itself does not count."""
        os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        wait_for_group(pid)
        self.kills += os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        return self.alive.pop(pid)

    def run(self) -> dict[str, int]:
        """The whole load; the number of kills, and the moment of the cut."""
        for role, number in self.plan.crew:
            self.start(role, number)
        struck = 0
        try:
            if self.plan.mount:
                struck = self.lose_power()
            else:
                self.kill_at_random()
        finally:
            for pid in list(self.alive):
                self.kill(pid)
        return {"kills": self.kills, "cut": struck}

    def kill_at_random(self) -> None:
        """Kill and replace, until the plan's kills and sends are reached, both at the same pace."""
        while self.kills < self.plan.kills or self.sent() < self.plan.sends:
            time.sleep(self.random.uniform(0, 0.02))
            if self.kills * self.plan.sends <= (self.sent() + 1) * self.plan.kills:
                self.start(*self.kill(self.random.choice(sorted(self.alive))))

    def lose_power(self) -> int:
        """Wait for a first delivery and a while longer, then cut; the moment just before."""
        fd = os.open(self.plan.mount, os.O_RDONLY)
        try:
            while not self.sent():
                time.sleep(0.001)
            time.sleep(self.plan.seconds)
            before = time.monotonic_ns()
            cut(fd)
            return before
        finally:
            os.close(fd)

    def sent(self) -> int:
        """How many messages the writers know to be delivered."""
        logs = Path(self.plan.logs).glob("write-*.log")
        return sum(log.read_bytes().count(b"\nsent ") for log in logs)


def new_post(plan: Plan) -> Post:
    """What a worker calls the commands by."""
    bus = Path(plan.bus)
    if plan.commands:
        return CommandPost(bus, plan.sender, Path(plan.logs))
    return Post(bus, plan.sender, plan.left_out)


def wait_for_group(group: int) -> None:
    """Wait until every process of a killed group is gone, so that none writes to the bus any more."""
    while True:
        try:
            os.waitpid(-group, 0)
        except ChildProcessError:
            try:
                os.killpg(group, 0)
            except (ProcessLookupError, PermissionError):
                return
            time.sleep(0.001)  # not our child: the system reaps it


class Crew(Server):
    """The program that runs loads."""

    def __init__(self) -> None:
        super().__init__("tests.faults.load")

    def run(self, plan: Plan) -> dict[str, int]:
        """One load, from start to end."""
        found = self.ask(asdict(plan))
        assert isinstance(found, dict)
        return found


if __name__ == "__main__":
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    for line in sys.stdin:
        print(json.dumps(Load(Plan(**json.loads(line))).run()), flush=True)
