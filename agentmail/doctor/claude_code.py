"""Our hooks in Claude Code's settings: wired where and from where, once or twice, whole, and do they answer?"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.hosts.claude_code.entries import entries, own_root
from agentmail.hosts.claude_code.levels import PROJECT, USER, config_directory, levels, look, read
from agentmail.hosts.claude_code.own_hooks import words_from
from agentmail.hosts.claude_code.pairing import Pair, hooks_of
from agentmail.hosts.claude_code.trial import fire
from agentmail.hosts.claude_code.wiring import SettingsFile

SUBJECT = "Claude Code"


def claude_code(exam: Examination) -> None:
    """Look at the settings that a session in the current directory reads."""
    environment = exam.environment
    if environment is None or not exam.home:
        return
    directory = environment.directory()
    looks = [
        (level, found)
        for level, path in levels(environment, directory)
        if (found := _look(exam, path)) is not None
    ]
    wired = [(level, found) for level, found in looks if found.ours]
    plugins = [found for _, found in looks if found.plugin]
    lost = _lost(exam, looks, directory)
    if not wired and not plugins:
        if not lost and os.path.isdir(config_directory(environment)):
            exam.note(SUBJECT, "no hooks are wired, so sessions are not told of mail", "`agentmail wire`")
        return
    for _, found in looks:
        if found.disabled:
            exam.problem(
                SUBJECT, f"{_path(found)} says disableAllHooks, so no hook runs", "take that out of it"
            )
    for found in plugins:
        exam.note(SUBJECT, f"hooks come with the plugin {names.printable(found.plugin)} ({_path(found)})")
    _doubles(exam, wired, plugins)
    for level, found in wired:
        again = _again(level, directory)
        _judge(exam, found, again)
        _try(exam, found, environment, again)


def _look(exam: Examination, path: str) -> Look | None:
    try:
        return look(exam.disk, path)
    except AgentMailError as error:
        exam.problem(SUBJECT, error.what, error.next_step)
    except OSError as error:
        exam.problem(
            SUBJECT, f"{names.printable(path)} cannot be read: {reason(error)}", "look at it with ls -l"
        )
    return None


def _lost(exam: Examination, looks: list[tuple[str, Look]], directory: str) -> bool:
    """Programs that save the settings from memory, the host among them, may drop what they did not know of."""
    lost = [(level, found) for level, found in looks if not found.ours and _was_wired(exam, found.path)]
    for level, found in lost:
        what = f"{_path(found)} was wired, and another program has taken our entries out of it"
        undo = "`agentmail unwire`" if level == USER else "`agentmail unwire --project .`"
        exam.problem(SUBJECT, what, f"{_again(level, directory)}, or {undo} if that was meant")
    return bool(lost)


def _was_wired(exam: Examination, path: str) -> bool:
    return SettingsFile(exam.disk, path).was_wired(read(exam.disk, path))


def _again(level: str, directory: str) -> str:
    if level == USER:
        return "`agentmail wire`"
    from shlex import quote

    return f"`agentmail wire --project {quote(directory)}`" if level == PROJECT else "mend it by hand"


def _doubles(exam: Examination, wired: list[tuple[str, Look]], plugins: list[Look]) -> None:
    """Settings and plugins add up; of two settings files, only commands that differ do."""
    paths = [_path(found) for _, found in wired]
    if wired and plugins:
        what = f"wired in {' and '.join(paths)}, and a plugin too: every notice comes twice"
        plugin = names.printable(plugins[0].plugin)
        exam.problem(SUBJECT, what, f"`agentmail unwire`, or `claude plugin uninstall {plugin}`")
    commands = {(one.event, one.command) for _, found in wired for one in found.ours}
    if len(wired) > 1 and len(commands) > max(len(found.ours) for _, found in wired):
        what = f"wired in {' and '.join(paths)}: notices come twice in sessions started here"
        exam.problem(
            SUBJECT, what, "`agentmail unwire` one of them (`--project .` for that of this directory)"
        )


def _judge(exam: Examination, found: Look, again: str) -> None:
    """Are the programs and interpreters that the entries name there, ours, and all of them?"""
    path, own = _path(found), os.path.realpath(own_root())
    dead: set[str] = set()
    gone: set[str] = set()
    others: set[str] = set()
    for one in found.ours:
        program, *arguments = words_from(one.command, one.args) or [""]
        if not os.path.isabs(program):
            continue  # with a variable in it: only the shell could tell
        root = os.path.dirname(os.path.dirname(program))
        if not os.access(program, os.X_OK):
            dead.add(program)
        elif os.path.realpath(root) != own:
            others.add(root)
        gone.update(word for word in arguments if os.path.isabs(word) and not os.access(word, os.X_OK))
    if dead:
        exam.problem(SUBJECT, f"{path} runs hooks that are gone: {_listed(dead)}", again)
    if others:
        what = f"{path} runs the hooks of another installation: {_listed(others)}"
        exam.note(SUBJECT, what, f"{again} makes it {names.printable(own)}")
    if gone:
        what = f"{path} names a Python that is gone, so the hooks look for another: {_listed(gone)}"
        exam.problem(SUBJECT, what, again)
    missing, doubled = _counted(found, own)
    if missing:
        exam.problem(SUBJECT, f"{path} lacks {_listed(missing)}, or has it with another matcher", again)
    if doubled:
        exam.problem(SUBJECT, f"{path} runs more than once: {_listed(doubled)}", again)


def _counted(found: Look, root: str) -> tuple[set[str], set[str]]:
    """The hooks that are not there as hooks.json has them, and those that are there more than once."""
    missing: set[str] = set()
    doubled: set[str] = set()
    wake = any(one.runs[0] == "mail-wake" for one in found.ours)
    for event, groups in entries(root, "", wake=wake).items():
        there = [one for one in found.ours if one.event == event]
        for wanted in (Pair(group, hook) for group in groups for hook in hooks_of(group)):
            same = [one for one in there if one.runs == wanted.runs]
            if not any(map(wanted.settled, same)):
                missing.add(f"{wanted.runs[0]} at {event}")
            if len(same) > 1:
                doubled.add(f"{wanted.runs[0]} at {event}")
    return missing, doubled


def _try(exam: Examination, found: Look, environment: Environment, again: str) -> None:
    """Run what a session's start runs, with the switch that keeps it from recording anything."""
    start = next(
        (one for one in found.ours if one.event == "SessionStart" and one.runs[0] == "mail-check"), None
    )
    if start is None:
        return
    fired = fire(start, environment, exam.bus.root)
    if not fired.works:
        exam.problem(SUBJECT, f"{_path(found)} is wired and does not fire: {fired.said}", again)
        return
    said = fired.said.partition("\n")[0].partition(". Oldest")[0]
    exam.note(SUBJECT, f"wired in {_path(found)}, and fires ({said or 'nothing to say here'})")


def _path(found: Look) -> str:
    return names.printable(found.path)


def _listed(found: set[str]) -> str:
    return ", ".join(names.printable(one) for one in sorted(found))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.doctor.findings import Examination
    from agentmail.hosts.claude_code.levels import Look
