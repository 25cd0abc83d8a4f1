"""The installer of a host that loads plugins: puts our file where the host loads it, removes it, and examines it."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.fs import reason
from agentmail.hosts.base import (
    NOTE,
    PROBLEM,
    InstalledHook,
    Remark,
    UnwireResult,
    WireResult,
    found_here,
)
from agentmail.hosts.forwarding.dry_run import run_hooks
from agentmail.hosts.forwarding.file import WiredFile, read_wired
from agentmail.hosts.forwarding.host import PROJECT, USER, PluginHost
from agentmail.hosts.hooks_file.command import own_root, temporary_path
from agentmail.hosts.hooks_file.install import NOT_PERMANENT
from agentmail.hosts.own_file import CHANGED, CURRENT, MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.base import WireOptions

EVENTS = ("start", "prompt", "write")


class PluginInstall:
    """The `Install` of such a host."""

    def __init__(self, host: PluginHost, capabilities: Mapping[str, str]) -> None:
        self.host = host
        self.title = host.title
        self.capabilities = capabilities

    def found(self, environment: Environment) -> str:
        """Why the host is taken to be on this machine; empty where it is not."""
        return found_here(environment, self.host.program, self.host.folder(environment))

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        """Write our file for all sessions of the user or for those of a project, then run its hooks once.

        Refused where the host would load it twice, and where the file at its place is not ours or was changed. A file
        that wakes already goes on to do so.
        """
        level, directory, path = self.host.place(environment, options.project)
        self._refuse_twice(disk, environment, directory, path)
        before = read_wired(disk, path)
        wake = options.wake or (before is not None and before.wakes)
        file = self.host.own_file(disk, path, options.python, wake=wake)
        diff = file.diff()
        if options.dry_run:
            changed, outcome = bool(diff), "would-wire"
        else:
            changed, outcome = file.wire(), "wired"
        wired = WireResult(
            outcome if changed else "already-wired", level, path, wake=wake, entries=self._entries(path, wake)
        )
        if options.dry_run:
            wired.diff = diff
        else:
            wired.runs = run_hooks(self.host.dialect, own_root(), options.python, environment)
        wired.warnings = self._warnings(environment, options)
        return wired

    def _warnings(self, environment: Environment, options: WireOptions) -> list[str]:
        warnings = []
        if options.strict:
            warnings.append(f"{self.title} has no guard of its own for the bus: --strict does nothing there")
        if temporary := temporary_path(environment, own_root(), options.python):
            warnings.append(NOT_PERMANENT.format(names.printable(temporary)))
        return warnings

    def _refuse_twice(self, disk: Disk, environment: Environment, directory: str, path: str) -> None:
        for _, other in self.host.levels(environment, directory):
            if os.path.realpath(other) != os.path.realpath(path) and read_wired(disk, other) is not None:
                raise Refused(
                    f"{names.printable(other)} is wired already: every notice would come twice",
                    names.NOTHING_CHANGED,
                    f"keep that one, or run `agentmail unwire {self.host.name}` first",
                )

    def _entries(self, path: str, wake: bool) -> list[InstalledHook]:
        return [InstalledHook(event, "", path) for event in (*EVENTS, *(["arrived"] if wake else []))]

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        """Remove our file, and the directories that `wire` made for it; one that was changed since stays."""
        _, _, path = self.host.place(environment, project)
        before = read_wired(disk, path)
        file = self.host.own_file(disk, path, "", wake=False)
        state = file.unwire()
        if state == MISSING:
            return UnwireResult("not-wired", path, [], "")
        if state == CHANGED:
            kept = UnwireResult("kept", path, [], "")
            kept.kept.append(path)
            return kept
        return UnwireResult("restored", path, self._entries(path, before is not None and before.wakes), "")

    def is_wired(self, disk: Disk, environment: Environment, directory: str) -> bool:
        """Does a session in this directory load our file, as far as can be read?"""
        for _, path in self.host.levels(environment, directory):
            try:
                if read_wired(disk, path) is not None:
                    return True
            except (AgentMailError, OSError):
                continue
        return False

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        """Examine the files that a session in the current directory loads. Changes nothing."""
        remarks: list[Remark] = []
        wired = []
        for level, path in self.host.levels(environment, environment.directory()):
            try:
                found = read_wired(disk, path)
            except (AgentMailError, OSError) as error:
                what = error.what if isinstance(error, AgentMailError) else reason(error)
                remarks.append(
                    Remark(
                        PROBLEM, f"{names.printable(path)} cannot be read: {what}", "look at it with ls -l"
                    )
                )
                continue
            if found is not None:
                wired.append((level, path))
                remarks += self._judged(disk, environment, level, path, found)
        if len(wired) > 1:
            paths = " and ".join(names.printable(path) for _, path in wired)
            fix = f"`agentmail unwire {self.host.name} --project .`"
            remarks.append(Remark(PROBLEM, f"{paths} are both loaded: every notice comes twice", fix))
        if not wired and not remarks and os.path.isdir(self.host.folder(environment)):
            what = "no hooks are wired, so sessions are not told of mail"
            remarks.append(Remark(NOTE, what, f"`agentmail wire {self.host.name}`"))
        return remarks

    def _judged(
        self, disk: Disk, environment: Environment, level: str, path: str, found: WiredFile
    ) -> list[Remark]:
        """What is worth a remark about one file."""
        shown = names.printable(path)
        again = f"`agentmail wire {self.host.name}{' --project .' if level == PROJECT else ''}`"
        state = self.host.own_file(disk, path, found.python, wake=found.wakes).state()
        if state == CHANGED:
            return [Remark(PROBLEM, f"{shown} was changed since it was wired", f"remove it, then {again}")]
        program = found.program_here()
        if not program:
            gone = names.printable(found.program)
            return [Remark(PROBLEM, f"{shown} runs {gone}, which is gone, so it does nothing", again)]
        remarks = [] if state == CURRENT else [Remark(NOTE, f"{shown} is of another version", again)]
        broken = [
            run
            for run in run_hooks(
                self.host.dialect, os.path.dirname(os.path.dirname(program)), found.python, environment
            )
            if not run.works
        ]
        if broken:
            said = f"{broken[0].hook} at {broken[0].event}: {names.printable(broken[0].said)}"
            return [*remarks, Remark(PROBLEM, f"{shown} does not work: {said}", again)]
        woken = ", wakes idle sessions" if found.wakes else ""
        where = "" if level == USER else " for this project"
        return [*remarks, Remark(NOTE, f"wired in {shown}{where}{woken}, and fires")]
