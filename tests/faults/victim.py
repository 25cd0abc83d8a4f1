"""Runs commands in processes that die before one of their calls: a kill, or a power cut of their disk.

The program forks one process a command: `python -m tests.faults.victim` reads an order a line, and writes
how it ended a line. Only calls that can change the disk are counted: before one that reads, a cut leaves
what it leaves before the next one that changes. A cut at the call after the last one strikes when the
command is done and its answer is out.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentmail.core.fs import Disk
from tests.faults.judge import Ended, Story
from tests.faults.power import cut
from tests.faults.servers import Server
from tests.support.faults import CHANGING
from tests.support.in_process import run_in_process

#: The negative controls: the one kind of call that is left out.
LEFT_OUT = {"nothing": "", "file-sync": "fsync", "directory-sync": "fsyncdir"}


class MortalDisk(Disk):
    """A disk that dies before call number `at` (0: never), and never does one kind of sync.

    With `mount`, the file system there loses its power; without, only the process is gone.
    """

    def __init__(self, mount: str, at: int, left_out: str) -> None:
        super().__init__()
        self.mount = os.open(mount, os.O_RDONLY) if mount else -1
        self.at = at
        self.left_out = LEFT_OUT[left_out]
        self.calls = 0

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if op in CHANGING:
            self.before_change()
        return None if op == self.left_out else super().invoke(op, function, *args, **kwargs)

    def before_change(self) -> None:
        """Count, and die here when it is time."""
        self.calls += 1
        if self.calls == self.at:
            if self.mount >= 0:
                cut(self.mount)
            os._exit(9)


class Victims(Server):
    """The program that forks the victims."""

    def __init__(self) -> None:
        super().__init__("tests.faults.victim")

    def run(
        self,
        story: Story,
        bus: Path,
        *,
        words: tuple[str, ...] | None = None,
        at: int = 0,
        mount: Path | None = None,
        left_out: str = "nothing",
    ) -> tuple[Ended, int]:
        """The story's command, or another; how it ended, and its calls when it came to its end."""
        order = [words or story.words, story.stdin.decode(), str(bus), str(mount or ""), at, left_out]
        code, out, err, calls = self.ask([*order, dict(story.variables)])
        return Ended(code, out, err), calls


def suffer(
    words: list[str],
    stdin: str,
    bus: str,
    mount: str,
    at: int,
    left_out: str,
    variables: dict[str, str],
) -> list[object]:
    """Fork the victim of one order, and wait for its end."""
    back, answer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            disk = MortalDisk(mount, at, left_out)
            ended = run_in_process(tuple(words), Path(bus), stdin.encode(), disk, variables=variables)
            os.write(answer, json.dumps([ended.code, ended.out, ended.err, disk.calls]).encode())
            disk.before_change()
        finally:
            os._exit(1)
    os.close(answer)
    with os.fdopen(back, "rb") as pipe:
        found = pipe.read()
    _, status = os.waitpid(pid, 0)
    if found:
        return list(json.loads(found))
    code = os.waitstatus_to_exitcode(status)
    return [None if code == 9 else code, "", "the victim died by itself" if code != 9 else "", 0]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(suffer(*json.loads(line))), flush=True)
