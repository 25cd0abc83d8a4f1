"""Examines our hooks in a host's settings: where they are wired, from where, how often, and whether they answer."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.hosts.base import NOTE, PROBLEM, Remark
from agentmail.hosts.hooks_file.command import own_root, successor
from agentmail.hosts.hooks_file.dry_run import run_hook
from agentmail.hosts.hooks_file.duplicates import ONCE, found_commands, run_twice
from agentmail.hosts.hooks_file.host import PROJECT, USER
from agentmail.hosts.hooks_file.own_hooks import words_from
from agentmail.hosts.hooks_file.pairing import Pair, hooks_of
from agentmail.hosts.settings_file.read import read_settings

CHECK, WAKE = "mail-check", "mail-wake"


class SettingsExamination:
    """One examination of the settings that a session in the current directory reads, and its remarks."""

    def __init__(self, host: HooksHost, disk: Disk, environment: Environment) -> None:
        self.host = host
        self.disk = disk
        self.environment = environment
        self.directory = environment.directory()
        self.remarks: list[Remark] = []

    def problem(self, what: str, fix: str) -> None:
        """Something that does not work."""
        self.remarks.append(Remark(PROBLEM, what, fix))

    def note(self, what: str, fix: str = "") -> None:
        """Something worth knowing, with which everything works."""
        self.remarks.append(Remark(NOTE, what, fix))


def examine(host: HooksHost, disk: Disk, environment: Environment) -> list[Remark]:
    """Everything that is worth a remark; nothing is changed."""
    exam = SettingsExamination(host, disk, environment)
    files = [
        (level, found)
        for level, path in host.levels(environment, exam.directory)
        if (found := _look(exam, path)) is not None
    ]
    wired = [(level, found) for level, found in files if found.ours]
    plugins = [found for _, found in files if found.plugin]
    lost = _lost(exam, files)
    if not wired and not plugins:
        if not lost and os.path.isdir(host.folder(environment)):
            exam.note("no hooks are wired, so sessions are not told of mail", _again(host, USER, ""))
        return exam.remarks
    stopped = host.stops(files)
    for what, fix in stopped:
        exam.problem(what, fix)
    for warning in host.other_bus(environment, files):
        exam.note(warning)
    for found in plugins:
        exam.note(f"hooks come with the plugin {names.printable(found.plugin)} ({_path(found)})")
    _duplicates(exam, wired, plugins)
    for level, found in wired:
        again = _again(host, level, exam.directory)
        _judge(exam, found, again)
        _count(exam, found, again)
        if not stopped:
            _try(exam, found, again)
    return exam.remarks


def _look(exam: SettingsExamination, path: str) -> SettingsFound | None:
    try:
        return exam.host.look(exam.disk, path)
    except AgentMailError as error:
        exam.problem(error.what, error.next_step)
    except OSError as error:
        exam.problem(f"{names.printable(path)} cannot be read: {reason(error)}", "look at it with ls -l")
    return None


def _lost(exam: SettingsExamination, files: list[tuple[str, SettingsFound]]) -> bool:
    """Programs that save the settings from memory, such as the host, may drop entries that they had not read."""
    lost = [(level, found) for level, found in files if not found.ours and _was_wired(exam, found.path)]
    for level, found in lost:
        what = f"{_path(found)} was wired, and another program has removed our entries from it"
        undo = f"`agentmail unwire {exam.host.name}`"
        if level != USER:
            undo = f"`agentmail unwire {exam.host.name} --project .`"
        exam.problem(what, f"{_again(exam.host, level, exam.directory)}, or {undo} if that was meant")
    return bool(lost)


def _was_wired(exam: SettingsExamination, path: str) -> bool:
    return exam.host.settings_file(exam.disk, path).was_wired(read_settings(exam.disk, path))


def _again(host: HooksHost, level: str, directory: str) -> str:
    if level == USER:
        return f"`agentmail wire {host.name}`"
    from shlex import quote

    return (
        f"`agentmail wire {host.name} --project {quote(directory)}`" if level == PROJECT else "fix it by hand"
    )


def _duplicates(
    exam: SettingsExamination, wired: list[tuple[str, SettingsFound]], plugins: list[SettingsFound]
) -> None:
    """The host runs the hooks of settings and of plugins; a command in two settings files runs once."""
    paths = [_path(found) for _, found in wired]
    if wired and plugins:
        what = f"wired in {' and '.join(paths)}, and a plugin too: every notice comes twice"
        plugin = names.printable(plugins[0].plugin)
        exam.problem(
            what, f"`agentmail unwire {exam.host.name}`, or `{exam.host.program} plugin uninstall {plugin}`"
        )
    commands = [found_commands(found.ours) for _, found in wired]
    where = f"wired in {' and '.join(paths)}"
    undo = f"`agentmail unwire {exam.host.name}` one of them (`--project .` for that of this directory)"
    if any(run_twice(one, other) for at, one in enumerate(commands) for other in commands[at + 1 :]):
        exam.problem(f"{where}: notices come twice in sessions started here", undo)
    elif len(wired) > 1:
        exam.note(f"{where}: {ONCE}", undo)


def _judge(exam: SettingsExamination, found: SettingsFound, again: str) -> None:
    """Do the programs and interpreters that the entries name exist, and are they of this installation?"""
    path, own = _path(found), os.path.realpath(own_root())
    dead: set[str] = set()
    moved: set[str] = set()
    gone: set[str] = set()
    others: set[str] = set()
    for one in found.ours:
        program, *arguments = words_from(one.command, one.args) or [""]
        if not os.path.isabs(program):
            continue  # it has a variable in it, which only the shell can expand
        root = os.path.dirname(os.path.dirname(program))
        if not os.path.exists(program) and successor(program):
            moved.add(program)
        elif not os.access(program, os.X_OK):
            dead.add(program)
        elif os.path.realpath(root) != own:
            others.add(root)
        gone.update(word for word in arguments if os.path.isabs(word) and not os.access(word, os.X_OK))
    if dead:
        what = f"{path} names hooks that are gone or cannot be run: {_listed(dead)}"
        exam.problem(what, again)
    if moved:
        what = f"{path} names the hooks of an earlier Python, and those of the present one run"
        exam.note(f"{what}: {_listed(moved)}", f"{again} writes the present paths")
    if others:
        what = f"{path} runs the hooks of another installation: {_listed(others)}"
        exam.note(what, f"{again} changes that to {names.printable(own)}")
    if gone:
        what = f"{path} names a Python that is gone, so the hooks look for another: {_listed(gone)}"
        exam.problem(what, again)


def _count(exam: SettingsExamination, found: SettingsFound, again: str) -> None:
    """Which hooks are not there as hooks.json has them, and which are there more than once?"""
    missing: set[str] = set()
    repeated: set[str] = set()
    wake = any(one.runs[0] == WAKE for one in found.ours)
    for event, groups in exam.host.entries(os.path.realpath(own_root()), "", wake=wake).items():
        there = [one for one in found.ours if one.event == event]
        for wanted in (Pair(group, hook) for group in groups for hook in hooks_of(group)):
            same = [one for one in there if one.runs == wanted.runs]
            if not any(map(wanted.has_matcher, same)):
                missing.add(f"{wanted.runs[0]} at {event}")
            if len(same) > 1:
                repeated.add(f"{wanted.runs[0]} at {event}")
    if missing:
        exam.problem(f"{_path(found)} lacks {_listed(missing)}, or has it with another matcher", again)
    if repeated:
        exam.problem(f"{_path(found)} runs more than once: {_listed(repeated)}", again)


def _try(exam: SettingsExamination, found: SettingsFound, again: str) -> None:
    """Run the hook of a session's start, as a dry run."""
    start = next((one for one in found.ours if one.event == exam.host.start and one.runs[0] == CHECK), None)
    if start is None:
        return
    run = run_hook(exam.host, start, exam.environment)
    if not run.works:
        exam.problem(f"{_path(found)} is wired and does not fire: {run.said}", again)
        return
    if _is_gone(start):
        return  # it is silent, as it should be; that it is gone has been said
    said = run.said.partition("\n")[0].partition(". Oldest")[0]
    exam.note(f"wired in {_path(found)}, and fires ({said or 'nothing to say here'})")


def _is_gone(entry: HookEntry) -> bool:
    """Is the program of an entry gone, so that the entry is silent?"""
    program = (words_from(entry.command, entry.args) or [""])[0]
    return os.path.isabs(program) and not os.path.exists(program) and not successor(program)


def _path(found: SettingsFound) -> str:
    return names.printable(found.path)


def _listed(found: set[str]) -> str:
    return ", ".join(names.printable(one) for one in sorted(found))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.hooks_file.host import HooksHost, SettingsFound
    from agentmail.hosts.hooks_file.read_settings import HookEntry
