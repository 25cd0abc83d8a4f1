"""Runs programs to their end; runs the command line as a process, in an environment that the test alone decides."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.support.forks import Forks

ROOT = Path(__file__).parents[2]
#: What the installed launcher does. Why no `-m agentmail`: runpy and a look at site-packages cost more than most
#: commands do. The packaging tests run `python -m agentmail`.
START = "import os\nfrom agentmail.cli.main import main\nos._exit(main())"

#: What Python reads of its surroundings, the same for every call unless a test says otherwise.
PLAIN = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}

#: What `send`, `reply` and `delegate` say beside the id.
TO_WHOM = re.compile(r"agentmail: to .* in thread \S+\n")


@dataclass(frozen=True)
class Ran:
    """The result of a command: its exit code and the bytes of both streams."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """Standard output as text."""
        return self.stdout.decode("utf-8", "surrogateescape")

    @property
    def err(self) -> str:
        """Standard error as text."""
        return self.stderr.decode("utf-8", "surrogateescape")

    @property
    def trouble(self) -> str:
        """Standard error without the line in which a delivery says to whom it went."""
        return trouble_in(self.err)

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.out.splitlines()

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one JSON object that it has to be."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict), found
        return found


def trouble_in(diagnostics: str) -> str:
    """Standard error without the line in which a delivery says to whom it went."""
    return "".join(line for line in diagnostics.splitlines(keepends=True) if not TO_WHOM.match(line))


def run_process(
    command: list[str],
    stdin: bytes | None,
    env: dict[str, str],
    cwd: Path,
    timeout: float = 30,
    **streams: Any,
) -> Ran:
    """Run a program to its end; `streams` are those of subprocess.run, pipes by default."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run(command, input=stdin, env=env, cwd=cwd, timeout=timeout, **pipes)
    return Ran(done.returncode, done.stdout or b"", done.stderr or b"")


def text_for(words: tuple[str, ...], stdin: bytes | str) -> bytes:
    """What a test that makes the same call of many commands gives to this one: others than these refuse a text."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return data if words[:1] in (("send",), ("reply",), ("delegate",)) else b""


class Cli:
    """`agentmail` bound to one bus: `run("send", "alpha", "beta", "hello", stdin="text")`."""

    #: The everyday suite puts this here; without it, each call starts a new interpreter.
    forks: ClassVar[Forks | None] = None

    def __init__(self, bus: Path, home: Path, **variables: str | None) -> None:
        self.bus = bus
        self.home = home
        self.variables = variables

    def environment(self, **variables: str | None) -> dict[str, str]:
        """Nothing of the surroundings but PATH; a variable given as None is left out."""
        found: dict[str, str | None] = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            **PLAIN,
            "AGENT_MAIL_DIR": str(self.bus),
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            **self.variables,
            **variables,
        }
        return {name: value for name, value in found.items() if value is not None}

    @property
    def runs_plainly(self) -> bool:
        """True where no other program runs the command line, as one that takes rights away does."""
        return type(self).command is Cli.command

    def command(self, *words: str) -> list[str]:
        """The words of the process."""
        return [sys.executable, "-S", "-c", START, *words]

    def __call__(
        self,
        *words: str,
        stdin: bytes | str = b"",
        env: dict[str, str | None] | None = None,
        cwd: Path | None = None,
        timeout: float = 30,
    ) -> Ran:
        """Run to the end; `stdin` is for the commands that take a text, others would refuse it."""
        text, variables, place = text_for(words, stdin), self.environment(**(env or {})), cwd or self.home
        if self.forks and self.runs_plainly and self.forks.takes(text, variables):
            return Ran(*self.forks.run(words, text, variables, str(place), timeout))
        return run_process(self.command(*words), text, variables, place, timeout)

    def start(
        self, *words: str, env: dict[str, str | None] | None = None, cwd: Path | None = None, **streams: Any
    ) -> subprocess.Popen[bytes]:
        """Start and return the process; `streams` are those of subprocess.Popen, pipes by default."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            self.command(*words),
            env=self.environment(**(env or {})),
            cwd=cwd or self.home,
            **{**pipes, **streams},
        )
