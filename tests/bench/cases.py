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
from typing import Any

from tests.bench import buses, programs
from tests.bench.measure import Command
from tests.bench.programs import ROOT

#: The interpreter itself: a launcher on PATH may cost ten times its start.
PYTHON = os.path.realpath(sys.executable)
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]
HELPER = str(ROOT / "tests" / "interop" / "helper.sh")
SIZES = (10, 1_000, 10_000)
LARGE = 100_000
#: How often what takes seconds is run.
FEW = 3
BODY = b"x" * 1023 + b"\n"
#: A caller without a home has no index.
WITHOUT_HOME = {"HOME": "/nowhere"}


class Cases:
    """Commands by name, as they are gathered; every bus lies under one place."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.environment_of_pip = programs.install(place, PYTHON)
        #: The installed command: every row is a call of it, where the row's name does not say otherwise.
        self.agentmail = str(self.environment_of_pip / "bin" / "agentmail")
        #: The Python that `wire` writes into the settings of a host.
        self.python = str(self.environment_of_pip / "bin" / "python")
        (package,) = self.environment_of_pip.glob("lib/python*/site-packages/agentmail")
        self.hooks = package / "hooks"
        self.commands: dict[str, Command] = {
            "floor": Command(FLOOR),
            "sh -c :": Command(["sh", "-c", ":"]),
            "bash -c :": Command(["bash", "-c", ":"]),
        }
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

    def bus(self, waiting: int = 0, archived: int = 0, threads: int = 100) -> Path:
        """A new bus."""
        return buses.bus(self.place / f"bus{next(self._numbers)}", waiting, archived, threads)

    def call(
        self,
        name: str,
        bus: Path,
        *words: str,
        program: str = "",
        env: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        """A call of the installed command, or of another program, in the caller's workdir; `more` goes to Command."""
        self.commands[name] = Command(
            [program or self.agentmail, *words],
            env=self.environment(bus) | (env or {}),
            cwd=buses.workdir(bus, "alpha" if words[0] == "send" else "beta"),
            **more,
        )

    def shell(self, name: str, bus: Path, *words: str, **more: Any) -> None:
        """A call of the bash helper."""
        self.commands[name] = Command(
            ["bash", HELPER, *words], env=self.environment(bus), cwd=self.place, **more
        )


Before = Callable[[], Sequence[str]]
SESSION = "a-session"


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
        if size != SIZES[0]:
            cases.call(f"check, no index {size}", bus, "check", "beta", env=WITHOUT_HOME)
        else:
            cases.shell(f"check {size}, bash helper", bus, "check", "beta")
    bus = cases.bus(SIZES[1])
    cases.shell("check 1000, bash helper", bus, "check", "beta", rounds=FEW)
    for name, waiting, archived in (("archive small", 10, 0), ("archive 10000+100000", 10_000, 100_000)):
        bus = cases.bus(waiting, archived)
        cases.call(name, bus, "archive", "beta", before=_archiving(bus))
    bus = cases.bus(10)
    cases.shell("archive small, bash helper", bus, "archive", "beta", before=_archiving(bus))


def reading(cases: Cases) -> None:
    """Read one of ten, and reply to one."""
    bus = cases.bus(10)
    cases.call("read", bus, "read", "beta", buses.text(0)[0])
    bus = cases.bus(10)
    cases.call("reply", bus, "reply", "beta", stdin=BODY, before=_archiving(bus))


def options(cases: Cases) -> None:
    """The same calls with an option. A session is given by the environment first: it records what was read."""
    bus = cases.bus(SIZES[0])
    cases.call("check 10 --json", bus, "check", "--json", "beta")
    me = {"AGENT_MAIL_SELF": "beta"}
    by_environment = {**me, "AGENT_MAIL_SESSION": SESSION}
    id = buses.text(0)[0]
    cases.call("read, session by environment", cases.bus(SIZES[0]), "read", "beta", id, env=by_environment)
    cases.call("read --session", cases.bus(SIZES[0]), "read", "--session", SESSION, "beta", id, env=me)
    # Without the option a list records nothing, so there is no other call of the same work.
    cases.call("check 10 --session", cases.bus(SIZES[0]), "check", "--session", SESSION, "beta", env=me)
    numbers = itertools.count()
    for option, value in (("--thread", "a-topic"), ("--priority", "high")):
        cases.call(
            f"send {option}",
            cases.bus(),
            "send",
            option,
            value,
            "alpha",
            "beta",
            stdin=BODY,
            before=lambda: [f"o{next(numbers)}", "a", "subject"],
        )


def forms(cases: Cases) -> None:
    """The same call by a link as uv makes it, by the checkout's command, and by a plugin's."""
    bus = cases.bus(SIZES[0])
    home = Path(cases.environment(bus)["HOME"])
    linked = programs.link(cases.environment_of_pip, home)
    kept = home / ".cache" / "agentmail" / "python"
    kept.parent.mkdir(parents=True)
    kept.write_text(f"{PYTHON}\n")  # what the plugin's first call would find may be another version
    others = {
        "link": linked,
        "checkout": ROOT / "bin" / "agentmail",
        "plugin": programs.plugin(cases.place / "plugin"),
    }
    for name, program in others.items():
        cases.call(f"check 10, {name}", bus, "check", "beta", program=str(program))


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
            _look(cases, f"hook looks {size}", cases.bus(size))
    bus = cases.bus(10)
    payload = _payload("PreToolUse", tool_name="Write", tool_input={"file_path": "/srv/elsewhere.txt"})
    cases.commands["guard elsewhere"] = Command(
        [str(cases.hooks / "mail-guard"), cases.python], stdin=payload, env=cases.environment(bus)
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
    words = [str(cases.hooks / "mail-check"), "UserPromptSubmit", cases.python]
    stdin = _payload("UserPromptSubmit", session_id=session)
    _settle(bus, words, stdin, env)
    cases.commands[name] = Command(words, stdin=stdin, env=env)


def _settle(bus: Path, words: list[str], stdin: bytes, env: dict[str, str]) -> None:
    """Look until all that waits was presented: a notice has room for some 250 ids."""
    for _ in range(1 + sum(1 for _ in (bus / "beta" / "inbox").iterdir()) // 200):
        subprocess.run(words, input=stdin, env=env, check=True, stdout=subprocess.PIPE)


def _look(cases: Cases, name: str, bus: Path) -> None:
    """The Python part with all that waits presented but one, which is new each time."""
    session = name.replace(" ", "-")
    env = cases.environment(bus) | {"AGENT_MAIL_SELF": "beta", "AGENT_MAIL_CHECK_INTERVAL": "0"}
    module = "agentmail.hosts.claude_code.dialect"
    start = [cases.python, "-I", "-S", "-X", "utf8", "-c", programs.start_of_python()]
    words = [*start, str(cases.hooks.parents[1]), module, "check", "UserPromptSubmit"]
    stdin = _payload("UserPromptSubmit", session_id=session)
    _settle(bus, words, stdin, env)
    cases.commands[name] = Command(words, stdin=stdin, env=env, before=lambda: (_one_waiting(bus), [])[1])


VIEWS = {
    "thread": ("thread", "beta", "topic-7"),
    "search": ("search", "beta", "n777"),
    "threads": ("threads", "beta"),
    "snapshot": ("snapshot", "beta"),
    "receipts": ("receipts", "beta"),
}


def conversation(cases: Cases) -> None:
    """Every view over what is archived, in threads of ten, with and without an index; its first build; prune."""
    for size in (*SIZES[1:], LARGE):
        bus = cases.bus(0, size, threads=size // 10)
        rounds = FEW if size == LARGE else sys.maxsize
        for name, words in VIEWS.items():
            cases.call(f"{name} {size}", bus, *words)
            cases.call(f"{name}, no index {size}", bus, *words, env=WITHOUT_HOME, rounds=rounds)
        if size != LARGE:
            cases.call(f"prune {size}", bus, "prune", "beta")
    build = cases.bus(0, LARGE, threads=LARGE // 10)
    home = cases.place / "home-of-builds"
    home.mkdir()

    def without_index() -> list[str]:
        shutil.rmtree(home / ".agents", ignore_errors=True)
        (home / ".agents").mkdir()
        return []

    cases.call(
        f"first build {LARGE}",
        build,
        *VIEWS["thread"],
        env={"HOME": str(home)},
        before=without_index,
        rounds=FEW,
    )


def memory(cases: Cases) -> None:
    """A check of very much."""
    bus = cases.bus(LARGE)
    cases.call(f"check {LARGE}", bus, "check", "beta", rounds=FEW)
    cases.call(f"check, no index {LARGE}", bus, "check", "beta", rounds=FEW, env=WITHOUT_HOME)
