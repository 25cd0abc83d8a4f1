"""Runs the real command under strace: records each system call on the bus or its home, or injects a fault at one.

A call is named by its kind and its number among the calls of that kind, which strace counts the same way in
every run of the same command: interpreter, program and bus are the same each time. That the fault struck
where it was meant to is read from the log of the run, not believed.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.faults.judge import Ended

#: `openat(AT_FDCWD</x>, "name", ...) = 3</x/name>`, as `strace -y` writes it; with `-f`, a process's number first.
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")
#: What differs from run to run: the minute, and the hidden names with a process and random digits in them.
VARYING = re.compile(r"\d{8}-\d{4}-|\.removing-[0-9a-f]{8}-|\.(\w|\.)*(probe|tmp)-[0-9a-f-]+", re.IGNORECASE)
#: The calls whose texts are names; in others a text is what was read or written.
BY_NAME = re.compile(r"(.*at2?|open|stat|lstat|access|readlink|mkdir|link|unlink|rename)$")
KILLED_BY = -9


@dataclass(frozen=True)
class Point:
    """One system call on the bus: its kind, its number among those, and what it is about."""

    syscall: str
    number: int
    about: str

    def __str__(self) -> str:
        return f"{self.syscall} number {self.number} ({self.about})"


class Strace:
    """One command, with its surroundings; `place` holds bus and home, an absolute path without symlinks.

    Of a command that starts others only its own calls count.
    """

    def __init__(
        self,
        command: list[str],
        environment: dict[str, str],
        stdin: bytes,
        place: Path,
        *,
        starts_others: bool = False,
    ) -> None:
        self.command = command
        self.environment = environment
        self.stdin = stdin
        self.place = str(place)
        self.starts_others = starts_others
        self.log = place.parent / f"{place.name}.strace"

    def run(self, *options: str) -> Ended:
        """Run the command once, under strace."""
        return self.plain("strace", "-qq", "-y", "-o", str(self.log), *options)

    def plain(self, *prefix: str) -> Ended:
        """Run the command once, behind a prefix or as it is; a kill is code None."""
        done = subprocess.run(
            [*prefix, *self.command],
            input=self.stdin,
            capture_output=True,
            env=self.environment,
            cwd="/",
            timeout=60,
        )
        code = None if done.returncode == KILLED_BY else done.returncode
        return Ended(code, done.stdout.decode(), done.stderr.decode())

    def record(self) -> tuple[list[Point], Ended]:
        """Run without a fault; every call that touches bus or home, in order."""
        ended = self.run("-e", "trace=%file,%desc")
        counts: Counter[str] = Counter()
        points = []
        for line in self.log.read_text(errors="replace").splitlines():
            found = LINE.match(line)
            if found is None:
                continue
            syscall, rest = found.groups()
            counts[syscall] += 1
            about = self._about(syscall, rest)
            if about:
                points.append(Point(syscall, counts[syscall], about))
        return points, ended

    def inject(self, point: Point, fault: str) -> tuple[Ended, bool]:
        """Run with a fault (`signal=KILL`, `error=EIO`) in place of a call; and whether it struck there."""
        # The kernel's own filter halves the time. strace has it with `-f` only, and injects no signals by it.
        quick = not (self.starts_others or fault.startswith("signal"))
        ended = self.run(
            *(("-f", "--seccomp-bpf") if quick else ()),
            *("-e", f"trace={point.syscall}"),
            *("-e", f"inject={point.syscall}:{fault}:when={point.number}"),
        )
        lines = self.log.read_text(errors="replace").splitlines()
        calls = [found.group(2) for line in lines if (found := LINE.match(line))]
        if len(calls) < point.number:
            return ended, False
        call = calls[point.number - 1]
        if fault.startswith("signal"):
            struck = ended.code is None and len(calls) == point.number
        else:
            struck = "(INJECTED)" in call
        return ended, struck and self._about(point.syscall, call) == point.about

    def _about(self, syscall: str, rest: str) -> str:
        """The paths in the place that a call names, without what varies; empty where there is none."""
        arguments = rest.split(" = ", maxsplit=1)[0]
        place = re.escape(self.place)
        if BY_NAME.match(syscall):
            pairs = re.findall(rf"[<\"]({place}[^>\"]*)[>\"](?:, \"([^\"/]*)\")?", arguments)
        else:
            pairs = re.findall(rf"^\d+<({place}[^>]*)>()", arguments)
        paths = [f"{path}/{name}" if name else path for path, name in pairs]
        return " ".join(VARYING.sub("", path.removeprefix(self.place)) for path in paths)
