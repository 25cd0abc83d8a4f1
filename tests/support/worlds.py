"""A small bus with a message in every place, made once and copied for each operation; and operations on it.

Everything is judged from outside, by the independent reader and by the bytes of the files.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agentmail.core.delivery import accept
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError, worst_of
from agentmail.core.layout import Bus, Clock
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call
from agentmail.verbs.check import check
from agentmail.verbs.prune import prune
from agentmail.verbs.register import register
from agentmail.verbs.send import send
from agentmail.verbs.unarchive import unarchive
from tests.support.clocks import DAY, Fixed
from tests.support.faults import Crashed, FaultyDisk
from tests.support.reader import Box, read_bus

if TYPE_CHECKING:
    from agentmail.verbs.delivered import Delivered

BODY = b"conclusion first\r\nthen the rest, without a final newline"
#: The moment at which the senders of a world send: one minute for all, so that ids collide.
MOMENT = 1_783_157_412_345_678_000
MINUTE = "20260704-0930"


def tell(bus: Bus, sender: str, to: str, slug: str, body: bytes = BODY, subject: str = "") -> str:
    """Send, with the verb; returns the id."""
    return post(bus, sender, to, slug, body, subject)["id"]


def post(bus: Bus, sender: str, to: str, slug: str, body: bytes = BODY, subject: str = "") -> Delivered:
    """Send, with the verb; returns all that it says."""
    return send(Call(bus, machine="m1"), sender, to, slug, subject, body=body)


def age(path: Path, days: float) -> None:
    """Make a file look as old as that, by the machine's clock."""
    moment = time.time_ns() - int(days * DAY)
    os.utime(path, ns=(moment, moment))


@dataclass(frozen=True)
class World:
    """Where the bus is, and the ids of what is in it."""

    path: Path
    waiting: str
    other: str
    archived: str
    expired: str

    def bus(self, disk: FaultyDisk | None = None, clock: Clock | None = None) -> Bus:
        """The bus as an object."""
        return Bus(str(self.path), disk or FaultyDisk(), clock or Fixed(MOMENT))

    def copy(self, to: Path) -> World:
        """The same world in another place, with the same times."""
        shutil.copytree(self.path, to, symlinks=True)
        return World(to, self.waiting, self.other, self.archived, self.expired)


def make_world(path: Path) -> World:
    """beta has two messages waiting, one archived, one archived long ago, and a staging file that died.

    alpha has its copies of them, one as old as the archived one; delta has an empty mailbox.
    """
    bus = Bus(str(path), FaultyDisk(), Fixed(MOMENT))
    for identity in ("alpha", "beta", "delta"):
        register(Call(bus, Environment({"HOME": "/"})), identity, "-", f"what {identity} does")
    expired = tell(bus, "alpha", "beta", "expired")
    archived = tell(bus, "alpha", "beta", "archived")
    archive(Call(bus), "beta", [expired, archived])
    waiting, other = (tell(bus, "alpha", "beta", slug) for slug in ("waiting", "other"))
    box = path / "beta"
    age(box / "archive" / f"{expired}.md.gz", 100)
    age(path / "alpha" / "sent" / f"{expired}.md", 100)
    staging = box / "tmp" / f"{MINUTE}-alpha-died.md"
    staging.write_bytes(b"---\nid: half")
    age(staging, 3)
    age(box / ".upkeep", 1)
    return World(path, waiting, other, archived, expired)


@dataclass(frozen=True)
class Outcome:
    """How an operation ended: the exit code that the command line would give (None: crashed), and what it said."""

    code: int | None
    value: object = None
    error: BaseException | None = None


Operation = Callable[[Bus, World], Outcome]


def attempt(operation: Operation, world: World, disk: FaultyDisk, clock: Clock | None = None) -> Outcome:
    """Run an operation on a disk; what it raises becomes the exit code that the command line would return."""
    try:
        return operation(world.bus(disk, clock), world)
    except AgentMailError as error:
        return Outcome(error.exit_code, error.details.get("id"), error)
    except OSError as error:
        return Outcome(75, None, error)
    except Crashed as error:
        return Outcome(None, None, error)
    finally:
        disk.bury()


def try_send(bus: Bus, _world: World) -> Outcome:
    """alpha writes to beta."""
    return Outcome(0, tell(bus, "alpha", "beta", "hello", BODY, "a subject: with a colon"))


def try_send_to_two(bus: Bus, _world: World) -> Outcome:
    """alpha writes to beta and delta."""
    done = post(bus, "alpha", "beta,delta", "hello", BODY, "a subject: with a colon")
    codes = [one.get("exit", 0) for one in done["recipients"]]
    return Outcome(worst_of(codes), done)


#: A message from another machine, under the id that it has there.
CARRIED_ID = f"{MINUTE}-alpha-carried"
CARRIED = f"---\nid: {CARRIED_ID}\nfrom: alpha\nto: beta\n---\n".encode() + BODY


def try_accept(bus: Bus, _world: World) -> Outcome:
    """A message that has an id already is put into beta's inbox."""
    with bus.mailbox("beta") as box:
        accepted = accept(box, CARRIED_ID, CARRIED)
    return Outcome(1 if accepted.outcome == "conflict" else 0, accepted.outcome)


def try_archive(bus: Bus, world: World) -> Outcome:
    """beta archives a message, and the upkeep that is due runs."""
    bus.clock = Clock()
    done = archive(Call(bus), "beta", [world.waiting])
    return Outcome(worst_of([one.get("exit", 0) for one in done["messages"]]), done)


def try_unarchive(bus: Bus, world: World) -> Outcome:
    """beta takes a message back."""
    return Outcome(0, unarchive(Call(bus), "beta", world.archived))


def try_prune(bus: Bus, _world: World) -> Outcome:
    """beta removes what is past 60 days."""
    bus.clock = Clock()
    done = prune(Call(bus), "beta", "60")
    return Outcome(1 if done["failed"] else 0, done)


def try_register(bus: Bus, _world: World) -> Outcome:
    """gamma becomes known."""
    return Outcome(0, register(Call(bus, Environment({"HOME": "/"})), "gamma", "-", "what gamma does"))


def try_check(bus: Bus, _world: World) -> Outcome:
    """beta looks at what waits."""
    found = check(Call(bus), "beta")
    listed = [message["id"] for message in found["messages"]]
    return Outcome(75 if found["unreadable"] else 0, listed)


OPERATIONS: dict[str, Operation] = {
    "send": try_send,
    "send to two": try_send_to_two,
    "accept": try_accept,
    "archive": try_archive,
    "unarchive": try_unarchive,
    "prune": try_prune,
    "register": try_register,
    "check": try_check,
}


@dataclass(frozen=True)
class Seen:
    """A bus as the independent reader sees it."""

    boxes: dict[str, Box]
    registry: bytes
    root: list[str]

    @property
    def beta(self) -> Box:
        """The mailbox that the operations are about."""
        return self.boxes["beta"]


def look(world: World) -> Seen:
    """Read everything."""
    registry = world.path / "registry.md"
    return Seen(
        read_bus(world.path),
        registry.read_bytes() if registry.exists() else b"",
        sorted(os.listdir(world.path)),
    )
