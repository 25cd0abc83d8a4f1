"""Parrot's installer: one file that is ours as a whole, `~/.parrot/agentmail.json`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from agentmail.core.environment import Environment
from agentmail.core.errors import Refused
from agentmail.core.fs import Disk
from agentmail.hosts.base import (
    CAPABILITIES,
    NOTE,
    PROBLEM,
    DryRun,
    InstalledHook,
    Remark,
    UnwireResult,
    WireResult,
    found_here,
)
from tests.hosts.second_host.dialect import KINDS
from tests.support.cli import ROOT

if TYPE_CHECKING:
    from agentmail.hosts.base import Install, WireOptions

HOOKS = {"hatched": "check start", "spoken-to": "check prompt", "pecking": "guard"}
RUN = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); module = __import__(sys.argv.pop(1), fromlist=['main']); "
    "sys.exit(module.main(sys.argv[1:]))"
)


def command(python: str, job: str) -> list[str]:
    """The words that run a hook."""
    return [python, "-I", "-S", "-c", RUN, str(ROOT), "tests.hosts.second_host.dialect", *job.split()]


def path_of(environment: Environment, project: str | None = None) -> Path:
    return Path(project or environment.home()) / ".parrot" / "agentmail.json"


def payload(what: str, *, run: str = "", where: str = "", **action: object) -> bytes:
    lines = [
        {"topic": "run", "number": run, "where": where},
        {"topic": "action", "what": what, **action},
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


class ParrotInstall:
    title = "Parrot"
    capabilities = dict.fromkeys(CAPABILITIES, "as parrots do")

    def found(self, environment: Environment) -> str:
        return found_here(environment, "parrot", str(path_of(environment).parent))

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        path = path_of(environment, options.project)
        entries = {what: command(options.python, job) for what, job in HOOKS.items()}
        if options.wake:
            entries["feather-fell"] = command(options.python, "wake arrived")
        text = json.dumps(entries)
        is_wired = path.exists() and path.read_text() == text
        outcome = "already-wired" if is_wired else "would-wire" if options.dry_run else "wired"
        level = "project" if options.project else "user"
        wired = WireResult(outcome, level, str(path), wake=options.wake, entries=_entries(entries))
        if options.dry_run:
            wired.diff = "" if is_wired else f"+{text}"
            return wired
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        wired.runs = [_run(environment, what, words) for what, words in entries.items()]
        return wired

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        path = path_of(environment, project)
        if not path.exists():
            return UnwireResult("not-wired", str(path), [], "")
        entries = _read(path)
        path.unlink()
        path.parent.rmdir()
        return UnwireResult("restored", str(path), _entries(entries), "")

    def is_wired(self, disk: Disk, environment: Environment, directory: str) -> bool:
        return path_of(environment).exists()

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        path = path_of(environment)
        if not path.exists():
            return []
        try:
            entries = _read(path)
        except Refused as error:
            return [Remark(PROBLEM, error.what, error.next_step)]
        run = _run(environment, "hatched", entries["hatched"])
        if not run.works:
            return [Remark(PROBLEM, f"{path} does not fire: {run.said}", "wire again")]
        return [Remark(NOTE, f"wired in {path}, and fires ({run.said.partition('.')[0]})")]


def _read(path: Path) -> dict[str, list[str]]:
    try:
        found: dict[str, list[str]] = json.loads(path.read_text())
    except ValueError:
        raise Refused(f"{path} is not JSON", "nothing was changed", "remove it, then wire again") from None
    return found


def _entries(entries: dict[str, list[str]]) -> list[InstalledHook]:
    return [InstalledHook(what, "", " ".join(words)) for what, words in entries.items()]


def _run(environment: Environment, what: str, words: list[str]) -> DryRun:
    done = subprocess.run(
        words,
        input=payload(
            what, where=environment.directory(), targets=[f"{environment.bus_path()}/x/inbox/y.md"]
        ),
        env={**environment.variables, "AGENT_MAIL_DRY_RUN": "1"},
        capture_output=True,
    )
    works = done.returncode in (0, 9) and not done.stderr
    said = next(iter(json.loads(done.stdout).values()), "") if done.stdout else ""
    return DryRun(what, KINDS[what], works, said if works else done.stderr.decode())


INSTALL: Install = ParrotInstall()
