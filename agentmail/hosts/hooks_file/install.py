"""The installer of a host whose settings hold hooks in groups: adds ours, removes them, and examines them."""

from __future__ import annotations

import errno
import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.hosts.base import InstalledHook, UnwireResult, WireResult, found_here, is_any_wired
from agentmail.hosts.hooks_file import settings
from agentmail.hosts.hooks_file.command import own_root, temporary_path
from agentmail.hosts.hooks_file.dry_run import run_hook
from agentmail.hosts.hooks_file.duplicates import refuse_duplicates
from agentmail.hosts.hooks_file.examine import WAKE, examine
from agentmail.hosts.hooks_file.host import HooksHost
from agentmail.hosts.hooks_file.own_hooks import PROGRAMS, words_from
from agentmail.hosts.runtime.session_start import remove_link
from agentmail.hosts.settings_file.change import SettingsFile
from agentmail.hosts.settings_file.read import refuse_foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.base import Remark, WireOptions
    from agentmail.hosts.hooks_file.command import Entries
    from agentmail.hosts.hooks_file.read_settings import HookEntry
    from agentmail.hosts.settings_file.change import Format

NOT_PERMANENT = (
    "this runs from {}, which is temporary: when it is deleted, sessions get no more notices; "
    "install agentmail (`pipx install agentmail-bus`), then run `agentmail wire` again"
)


class HooksInstall:
    """The `Install` of such a host; a host that has more to install derives its own class."""

    #: Does `wire --strict` set a guard of the host's own, and `wire --wake` wake idle sessions?
    has_strict = has_wake = False

    def __init__(self, host: HooksHost, capabilities: Mapping[str, str]) -> None:
        self.host = host
        self.title = host.title
        self.capabilities = capabilities

    def found(self, environment: Environment) -> str:
        """Why the host is taken to be on this machine; empty where it is not."""
        return found_here(environment, self.host.program, self.host.folder(environment))

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        """Complete our entries in the user's settings or in a project's, then run each once; see base.py.

        Refused where they would run twice, and where the file must not be changed. Wake entries that are wired
        already are completed too.
        """
        root = own_root()
        level, directory, path = self.host.settings_path(environment, options.project)
        wake = options.wake and self.has_wake
        wanted = self.host.entries(root, options.python, wake=wake)
        with _Explained(path, wanted):
            present = self.host.found_in(path, self.host.settings_file(disk, path).read()).ours
        wake = wake or any(one.runs[0] == WAKE for one in present)
        wanted = self.host.entries(root, options.python, wake=wake)
        warnings = refuse_duplicates(self.host, disk, environment, directory, level, wanted)
        with _Explained(path, wanted):
            complete = self.completing(environment, wanted, options)
            outcome, ours, diff = (self._planned if options.dry_run else self._done)(disk, path, complete)
        wired = WireResult(outcome, level, path, wake=wake, entries=[_entry(one) for one in ours])
        wired.diff = diff
        if not options.dry_run:
            wired.runs = [run_hook(self.host, one, environment) for one in ours if _is_in(one, wanted)]
        warnings += self._cannot(options)
        if temporary := temporary_path(environment, root, options.python):
            warnings.append(NOT_PERMANENT.format(names.printable(temporary)))
        wired.warnings = warnings
        return wired

    def _cannot(self, options: WireOptions) -> list[str]:
        """What was asked for and this host does not have."""
        found = []
        if options.wake and not self.has_wake:
            found.append(f"{self.title} has no way to wake an idle session: --wake does nothing there")
        if options.strict and not self.has_strict:
            found.append(f"{self.title} has no guard of its own for the bus: --strict does nothing there")
        return found

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        """Restore the file that `wire` changed; where others changed it since, remove only our entries."""
        _, directory, path = self.host.settings_path(environment, project)
        try:
            file = SettingsFile(disk, path, self.format(environment))
            ours = self.host.found_in(path, file.read()).ours
            restored = file.unwire()
        except Refused as error:
            raise Refused(
                error.what, error.now, f"fix that, then try again; ours run {' or '.join(PROGRAMS)}"
            ) from None
        except OSError as error:
            raise TryAgain(_why(path, error), names.NOTHING_CHANGED, _remedy(error)) from error
        link = ""
        if not is_any_wired(disk, environment, directory):
            link = _unlinked(disk, environment, {root for one in ours if (root := _root(one))})
        outcome = "restored" if restored else "unwired" if ours else "not-wired"
        return UnwireResult(outcome, path, [_entry(one) for one in ours], link)

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        """Examine the settings that a session in the current directory reads. Changes nothing."""
        return examine(self.host, disk, environment)

    def is_wired(self, disk: Disk, environment: Environment, directory: str) -> bool:
        """Does a session in this directory run our hooks, as far as can be read?"""
        for _, path in self.host.levels(environment, directory):
            try:
                found = self.host.look(disk, path)
            except (AgentMailError, OSError):
                continue
            if found.ours or found.plugin:
                return True
        return False

    def completing(
        self,
        environment: Environment,  # noqa: ARG002 - some hosts add what depends on it
        wanted: Entries,
        options: WireOptions,  # noqa: ARG002
    ) -> Callable[[bytes], bytes]:
        """Adds what is missing to the bytes of the settings; returns the very object where nothing is."""
        return lambda old: settings.wire(old, wanted)

    def format(self, _environment: Environment) -> Format:
        """How all that `completing` adds is recognised and removed."""
        return settings

    def _done(
        self, disk: Disk, path: str, complete: Callable[[bytes], bytes]
    ) -> tuple[str, list[HookEntry], str]:
        """Wire: the outcome, our entries as they now are, and no diff."""
        file = self.host.settings_file(disk, path)
        changed, data = file.wire(complete)
        return "wired" if changed else "already-wired", self.host.found_in(path, data).ours, ""

    def _planned(
        self, disk: Disk, path: str, complete: Callable[[bytes], bytes]
    ) -> tuple[str, list[HookEntry], str]:
        """What wiring would do: the outcome, our entries as they are, and a unified diff."""
        from difflib import unified_diff

        data = self.host.settings_file(disk, path).read()
        old = data or b""
        new = complete(old)
        if new is not old:
            refuse_foreign(path)
        before = "/dev/null" if data is None else path
        lines = unified_diff(_lines(old), _lines(new), before, path, lineterm="")
        outcome = "already-wired" if new is old else "would-wire"
        return outcome, self.host.found_in(path, data).ours, "\n".join(lines)


class _Explained:
    """Adds to an error about a settings file what to add to the file by hand."""

    def __init__(self, path: str, wanted: Entries) -> None:
        self.path = path
        self.wanted = wanted

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused | TryAgain):
            error.details.setdefault("path", self.path)
            error.details.setdefault("snippet", settings.snippet(self.wanted))
        elif isinstance(error, OSError):
            raise TryAgain(
                _why(self.path, error),
                names.NOTHING_CHANGED,
                _remedy(error),
                path=self.path,
                snippet=settings.snippet(self.wanted),
            ) from error


def _why(path: str, error: OSError) -> str:
    """Why a settings file cannot be changed, without the names of files of ours that never came to be."""
    return f"{names.printable(path)} cannot be changed: {os.strerror(error.errno) if error.errno else error}"


def _remedy(error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM):
        return "give yourself the right to write in its directory, then try again"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space, then try again"
    return "fix that, then try again"


def _lines(data: bytes) -> list[str]:
    *lines, last = data.decode().split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _is_in(entry: HookEntry, wanted: Entries) -> bool:
    """Is this exactly one of the wanted entries?"""
    hooks = (hook for group in wanted.get(entry.event, ()) for hook in group["hooks"])
    return entry.command in [hook["command"] for hook in hooks]


def _entry(entry: HookEntry) -> InstalledHook:
    return InstalledHook(entry.event, entry.matcher or "", " ".join([entry.command, *(entry.args or ())]))


def _root(entry: HookEntry) -> str:
    """The installation that an entry runs, whether or not it still exists."""
    words = words_from(entry.command, entry.args) or [""]
    return os.path.dirname(os.path.dirname(words[0])) if os.path.isabs(words[0]) else ""


def _unlinked(disk: Disk, environment: Environment, roots: set[str]) -> str:
    try:
        return remove_link(disk, environment, {*roots, own_root()})
    except (OSError, AgentMailError) as error:
        why = reason(error) if isinstance(error, OSError) else error.what
        disk.notes.append(f"the link to the command stays: {why}")
        return ""
