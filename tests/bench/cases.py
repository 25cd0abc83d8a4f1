"""The commands that are measured, each on a bus of its size."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import buses
from tests.bench.measure import Command

ROOT = Path(__file__).resolve().parents[2]
AGENTMAIL = str(ROOT / ".venv" / "bin" / "agentmail")
#: The interpreter itself: a launcher on PATH may cost ten times its start.
PYTHON = os.path.realpath(sys.executable)
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]
HELPER = str(ROOT / "tests" / "interop" / "helper.sh")
SIZES = (10, 1_000, 10_000)
BODY = b"x" * 1023 + b"\n"


class Cases:
    """Commands by name, as they are gathered; every bus lies under one place."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.commands: dict[str, Command] = {"floor": Command(FLOOR)}
        self._numbers = itertools.count()

    def environment(self, bus: Path) -> dict[str, str]:
        """A call's whole environment: the bus, an own home, and the machine's PATH."""
        home = self.place / "home"
        home.mkdir(exist_ok=True)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "AGENT_MAIL_DIR": str(bus),
            "TZ": "UTC",
        }

    def bus(self, waiting: int = 0, archived: int = 0) -> Path:
        """A new bus."""
        return buses.bus(self.place / f"bus{next(self._numbers)}", waiting, archived)

    def call(
        self, name: str, bus: Path, *words: str, stdin: bytes = b"", before: Before | None = None
    ) -> None:
        """A call of the installed command."""
        self.commands[name] = Command(
            [AGENTMAIL, *words], stdin=stdin, env=self.environment(bus), before=before, cwd=self.place
        )

    def shell(
        self, name: str, bus: Path, *words: str, stdin: bytes = b"", before: Before | None = None
    ) -> None:
        """A call of the bash helper."""
        self.commands[name] = Command(
            ["bash", HELPER, *words], stdin=stdin, env=self.environment(bus), before=before, cwd=self.place
        )


Before = Callable[[], Sequence[str]]


def core(cases: Cases) -> None:
    """Send, check and archive, at every size, and the bash helper beside them."""
    numbers = itertools.count()

    def slug() -> list[str]:
        return [f"n{next(numbers)}", "a", "subject"]

    cases.call("send", cases.bus(), "send", "alpha", "beta", stdin=BODY, before=slug)
    cases.shell("send, bash helper", cases.bus(), "send", "alpha", "beta", stdin=BODY, before=slug)
    for size in SIZES:
        bus = cases.bus(size)
        cases.call(f"check {size}", bus, "check", "beta")
        if size == SIZES[0]:
            cases.shell(f"check {size}, bash helper", bus, "check", "beta")
    for name, waiting, archived in (("archive small", 10, 0), ("archive 10000+100000", 10_000, 100_000)):
        bus = cases.bus(waiting, archived)
        cases.call(name, bus, "archive", "beta", before=_archiving(bus))
    bus = cases.bus(10)
    cases.shell("archive small, bash helper", bus, "archive", "beta", before=_archiving(bus))


def _archiving(bus: Path) -> Before:
    """The id of one more message, put there before each run."""
    return lambda: [_one_waiting(bus)]


_fresh = itertools.count(1)


def _one_waiting(bus: Path) -> str:
    """Put one more message into the inbox; its id."""
    id, data = buses.text(0)
    id = f"{id}-{next(_fresh)}"
    buses.write(bus / "beta" / "inbox" / f"{id}.md", data)
    return id


def hooks(cases: Cases) -> None:
    """The prompt hook in the shell, throttled and unchanged; its Python part; the guard."""
    for size in SIZES:
        bus = cases.bus(size)
        _hook(cases, f"hook throttled {size}", bus, "180")
        _hook(cases, f"hook unchanged {size}", bus, "0")
        if size != SIZES[1]:
            _look(cases, f"hook looks {size}", bus)
    bus = cases.bus(10)
    payload = _payload("PreToolUse", tool_name="Write", tool_input={"file_path": "/srv/elsewhere.txt"})
    cases.commands["guard elsewhere"] = Command(
        [str(ROOT / "hooks" / "mail-guard"), PYTHON], stdin=payload, env=cases.environment(bus)
    )


def _payload(event: str, **more: object) -> bytes:
    return json.dumps(
        {"session_id": "bench", "cwd": "/", "hook_event_name": event, "prompt": "hi", **more}
    ).encode()


def _hook(cases: Cases, name: str, bus: Path, interval: str) -> None:
    """A prompt for a session that has looked before; settled, so that only the shell runs."""
    session = name.replace(" ", "-")
    env = cases.environment(bus) | {
        "AGENT_MAIL_SELF": "beta",
        "CLAUDE_CODE_SESSION_ID": session,
        "AGENT_MAIL_CHECK_INTERVAL": interval,
    }
    for path in (bus / "beta" / "inbox", bus / "registry.md"):
        os.utime(path, (path.stat().st_mtime - 60,) * 2)
    words = [str(ROOT / "hooks" / "mail-check"), "UserPromptSubmit", PYTHON]
    stdin = _payload("UserPromptSubmit", session_id=session)
    subprocess.run(words, input=stdin, env=env, check=True, stdout=subprocess.DEVNULL)
    cases.commands[name] = Command(words, stdin=stdin, env=env)


def _look(cases: Cases, name: str, bus: Path) -> None:
    """The Python part with all that waits presented but one, which is new each time."""
    session = name.replace(" ", "-")
    env = cases.environment(bus) | {"AGENT_MAIL_SELF": "beta", "AGENT_MAIL_CHECK_INTERVAL": "0"}
    script = (
        "import sys\nsys.path.insert(0, sys.argv.pop(1))\nimport os\n"
        "from agentmail.startup import run\nos._exit(run('agentmail.hosts.check', sys.argv[1:]))"
    )
    words = [PYTHON, "-I", "-S", "-c", script, str(ROOT), "UserPromptSubmit"]
    stdin = _payload("UserPromptSubmit", session_id=session)
    for _ in range(1 + buses_shown_at_once(bus)):
        subprocess.run(words, input=stdin, env=env, check=True, stdout=subprocess.DEVNULL)
    cases.commands[name] = Command(words, stdin=stdin, env=env, before=lambda: (_one_waiting(bus), [])[1])


def buses_shown_at_once(bus: Path) -> int:
    """How many looks it takes until all that waits was presented: a notice has room for some 250 ids."""
    return sum(1 for _ in (bus / "beta" / "inbox").iterdir()) // 200


def conversation(cases: Cases) -> None:
    """Thread, search and prune over what is archived."""
    for size in SIZES[1:]:
        bus = cases.bus(0, size)
        cases.call(f"thread {size}", bus, "thread", "beta", "topic-7")
        cases.call(f"search {size}", bus, "search", "beta", "conclusion")
        cases.call(f"prune {size}", bus, "prune", "beta")


def memory(cases: Cases) -> None:
    """A check of very much."""
    cases.call("check 100000", cases.bus(100_000), "check", "beta")


def peers(cases: Cases) -> list[str]:
    """Peers on PATH are measured beside; the names of those that are not there."""
    missing = []
    if amq := shutil.which("amq"):
        _amq(cases, amq)
    else:
        missing.append("amq")
    if not shutil.which("hcom"):
        missing.append("hcom")
    return missing


def _amq(cases: Cases, amq: str) -> None:
    """AMQ's own commands for the same: a store with two agents, one message sent, ten listed."""
    store = cases.place / "amq"
    subprocess.run(
        [amq, "init", "--root", store, "--agents", "alpha,beta"], check=True, stdout=subprocess.DEVNULL
    )
    send = [amq, "send", "--root", str(store), "--me", "alpha", "--to", "beta", "--body", BODY.decode()]
    env = cases.environment(cases.place)
    cases.commands["send, amq"] = Command(send, env=env)
    cases.commands["check, amq"] = Command(
        [amq, "list", "--root", str(store), "--me", "beta", "--new"], env=env
    )
