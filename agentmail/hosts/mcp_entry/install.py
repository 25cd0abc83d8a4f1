"""Wires the entry for our server of tools in one file of a host, removes it, and examines it.

An entry of another program under our name is refused, never replaced. One that somebody added by hand for our server
stays as it is, also at `unwire`.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain, Unconfirmed
from agentmail.core.fs import reason
from agentmail.hosts.base import NOTE, PROBLEM, Remark
from agentmail.hosts.mcp_entry.command import BY_HAND, FOREIGN, NAME, gone, origin, server_command
from agentmail.hosts.settings_file.change import SettingsFile
from agentmail.hosts.settings_file.read import refuse_foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.base import Install, UnwireResult, WireOptions, WireResult
    from agentmail.hosts.settings_file.change import Format

    class EntryFormat(Format, Protocol):
        """A format that has a place for the entry."""

        def words(self, data: bytes) -> list[str] | None:
            """The command of the entry as it is; None where there is none."""

        def value(self, data: bytes) -> object:
            """The entry as it is; None where there is none."""

        def complete(self, data: bytes, words: list[str], more: Mapping[str, object] | None = None) -> bytes:
            """The file with the entry."""

        def snippet(self, words: list[str]) -> str:
            """The text to add by hand."""


class ServerEntry:
    """The entry of one host.

    name    the host's name, for the commands that the texts propose
    place   the file of the user's settings that it stands in
    form    how it stands there
    always  whether `wire` adds it also without --mcp
    """

    def __init__(
        self,
        name: str,
        place: Callable[[Environment], str],
        form: EntryFormat,
        *,
        always: bool = False,
    ) -> None:
        self.name = name
        self.place = place
        self.form = form
        self.always = always

    def refuse(self, disk: Disk, environment: Environment, options: WireOptions) -> None:
        """With --mcp: Refused where the entry cannot be added, before anything is changed."""
        if options.mcp:
            path = self.place(environment)
            completing(self.form, path, options)(SettingsFile(disk, path, self.form).read() or b"")
            refuse_foreign(path)

    def wire(self, disk: Disk, environment: Environment, options: WireOptions, wired: WireResult) -> None:
        """Add the entry, if it is wanted or there already; what was done goes into the result."""
        if options.project is not None:
            return
        path = self.place(environment)
        file = SettingsFile(disk, path, self.form)
        try:
            data = file.read()
            ours = data is not None and bool(self.form.wired(data))
            if not (options.mcp or self.always or ours):
                return
            complete = completing(self.form, path, options)
            changed = self._plan(path, data, complete, wired) if options.dry_run else file.wire(complete)[0]
        except Unconfirmed:
            raise
        except (AgentMailError, OSError) as error:
            self._failed(error, options, wired)
            return
        wired.server = path
        if changed and not options.dry_run:
            wired.also.append(f"added the server {NAME} to {path}: the model gets mail as tools")
            wired.outcome = "wired"

    def _failed(self, error: AgentMailError | OSError, options: WireOptions, wired: WireResult) -> None:
        """The hooks are wired by now: an error only where the server was asked for, else at most a warning."""
        what = f"the tools of mail are not added: {error.what if isinstance(error, AgentMailError) else reason(error)}"
        if options.mcp:
            raise TryAgain(what, "the hooks are wired", "fix that, then try again") from error
        if self.always:
            wired.warnings.append(what)

    def unwire(self, disk: Disk, environment: Environment) -> list[str]:
        """Remove the entry, if it is one of `wire`; the sentences that say so. The hooks go last: they made the folder."""
        path = self.place(environment)
        file = SettingsFile(disk, path, self.form)
        data = file.read()
        if data is None or not self.form.wired(data):
            return []
        exactly = ", which is as it was before wire" if file.unwire() else ""
        return [f"removed the server {NAME} from {path}{exactly}"]

    def look(self, disk: Disk, environment: Environment, *, wired: bool) -> list[Remark]:
        """Examine the entry; `wired` tells whether the host's hooks are."""
        path = self.place(environment)
        try:
            data = SettingsFile(disk, path, self.form).read() or b""
            return entry_remarks(self.form, data, path, self.name, missing=wired and self.always)
        except (AgentMailError, OSError) as error:
            why = error.what if isinstance(error, AgentMailError) else reason(error)
            return [Remark(NOTE, f"whether the host starts our server is not known: {why}")]

    def _plan(
        self, path: str, data: bytes | None, complete: Callable[[bytes], bytes], wired: WireResult
    ) -> bool:
        """A dry run: the change as a diff."""
        from difflib import unified_diff

        old = data or b""
        new = complete(old)
        if new is old:
            return False
        refuse_foreign(path)
        before = "/dev/null" if data is None else path
        left, right = (one.decode().splitlines() for one in (old, new))
        diff = "\n".join(unified_diff(left, right, before, path, lineterm=""))
        wired.diff = f"{wired.diff}\n{diff}" if wired.diff else diff
        wired.outcome = "would-wire"
        return True


def completing(
    form: EntryFormat,
    path: str,
    options: WireOptions,
    more: Mapping[str, object] | None = None,
) -> Callable[[bytes], bytes]:
    """Adds the entry to the bytes of a file; returns the very object where it is there. Refused where it is another's."""
    words = server_command(options.python)

    def complete(data: bytes) -> bytes:
        found = form.words(data)
        if found is not None and origin(found) == FOREIGN:
            raise Refused(
                f"{names.printable(path)} has another server called {NAME}{_running(found)}",
                names.NOTHING_CHANGED,
                "give that one another name, then try again",
                path=path,
                snippet=form.snippet(words),
            )
        return data if found is not None and origin(found) == BY_HAND else form.complete(data, words, more)

    return complete


def entry_remarks(
    form: EntryFormat,
    data: bytes,
    path: str,
    host: str,
    *,
    missing: bool = False,
) -> list[Remark]:
    """What is worth a remark about the entry; `missing` tells whether it should be there."""
    shown, again = names.printable(path), f"`agentmail wire {host} --mcp`"
    words = form.words(data) if data.strip() else None
    if words is None:
        return (
            [Remark(NOTE, f"the model has no tools of mail: {shown} has no entry", again)] if missing else []
        )
    if origin(words) == FOREIGN:
        what = f"{shown} has another server called {NAME}{_running(words)}, so the model has no tools of mail"
        return [Remark(NOTE, what, "give that one another name, then " + again)]
    if program := gone(words):
        return [
            Remark(PROBLEM, f"{shown} starts {names.printable(program)} as a server, which is gone", again)
        ]
    whose = "; the entry was added by hand" if origin(words) == BY_HAND else ""
    entry = form.value(data)
    if isinstance(entry, dict) and (entry.get("enabled") is False or entry.get("disabled") is True):
        return [Remark(NOTE, f"{shown} has our server, switched off{whose}")]
    trusted = isinstance(entry, dict) and entry.get("trust") is True
    return [Remark(NOTE, f"the model has mail as tools, by {shown}{', trusted' * trusted}{whose}")]


def _running(words: list[str]) -> str:
    return f", which runs {names.printable(os.path.basename(words[0]))}" if words and words[0] else ""


def with_sentences(done: UnwireResult, also: list[str]) -> UnwireResult:
    """The result for the hooks, with what was removed before them."""
    done.also = also + done.also
    if also and done.outcome == "not-wired":
        done.outcome = "unwired"
    return done


class WithServer:
    """The `Install` of a host whose entry stands in a file of its own, beside the one that starts our hooks."""

    def __init__(self, hooks: Install, entry: ServerEntry) -> None:
        self._hooks = hooks
        self._entry = entry
        self.title = hooks.title
        self.capabilities = hooks.capabilities

    def found(self, environment: Environment) -> str:
        """Why the host is taken to be on this machine."""
        return self._hooks.found(environment)

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        """Wire the hooks, and the entry where it is asked for."""
        self._entry.refuse(disk, environment, options)
        wired = self._hooks.wire(disk, environment, options)
        self._entry.wire(disk, environment, options, wired)
        return wired

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        """Undo both."""
        also = self._entry.unwire(disk, environment) if project is None else []
        return with_sentences(self._hooks.unwire(disk, environment, project=project), also)

    def is_wired(self, disk: Disk, environment: Environment, directory: str) -> bool:
        """Does a session in this directory run our hooks?"""
        return self._hooks.is_wired(disk, environment, directory)

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        """Examine both."""
        wired = self.is_wired(disk, environment, environment.directory())
        return self._hooks.look(disk, environment) + self._entry.look(disk, environment, wired=wired)
