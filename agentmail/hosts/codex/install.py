"""Codex's installer: entries in its hooks.json, our server and our rules; on request trust and a guard of its sandbox."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused
from agentmail.hosts.base import NOTE, PROBLEM, Remark
from agentmail.hosts.codex import configuration
from agentmail.hosts.codex.app_server import AppServer, program_of
from agentmail.hosts.codex.host import CODEX
from agentmail.hosts.codex.rules import rules_file
from agentmail.hosts.hooks_file.install import HooksInstall
from agentmail.hosts.mcp_entry.install import ServerEntry, with_sentences
from agentmail.hosts.mcp_entry.toml_entry import TomlEntry
from agentmail.hosts.own_file import CHANGED, MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.base import Install, UnwireResult, WireOptions, WireResult

CAPABILITIES = {
    "notice": "hooks: at the start of a session and, what is new, with a prompt",
    "guard": "hook of patches, also of those that a shell command applies",
    "strict": "a permission profile: the bus is read-only in the sandbox",
    "wake": "a process beside the session that calls `codex queue`: `wire --wake`",
    "tools": "MCP; command line (outside of the sandbox by a rule)",
    "session": "payload of hooks; a variable of the model's own commands",
    "trust": "each hook: `doctor` shows it, `wire --trust` writes it",
}
NOT_TRUSTED = (
    "Codex skips hooks that you have not trusted, and `codex exec` does not say so: review them when Codex asks at its "
    "next start, or `agentmail wire codex --trust`"
)
NO_PROGRAM = "codex is not on PATH, so {}"


class CodexInstall(HooksInstall):
    """The `Install` of Codex."""

    has_strict = has_wake = True

    def wire(self, disk: Disk, environment: Environment, options: WireOptions) -> WireResult:
        """Complete our entries and the rules; with `trust` and `strict`, have Codex change its configuration."""
        SERVER.refuse(disk, environment, options)
        wired = super().wire(disk, environment, options)
        SERVER.wire(disk, environment, options, wired)  # before Codex changes the same file: see `unwire`
        if options.project is None:
            self._wire_rules(disk, environment, options, wired)
        if not options.dry_run:
            self._configure(environment, options, wired)
        elif options.trust or options.strict:
            wired.also.append("Codex would be asked to change its config.toml (--trust, --strict)")
        return wired

    def unwire(self, disk: Disk, environment: Environment, *, project: str | None) -> UnwireResult:
        """Undo all of it, the last change first. What Codex keeps about trust in our hooks goes too."""
        also, kept = [], []
        if project is None:
            rules = rules_file(disk, environment, self.host.folder(environment))
            state = rules.unwire()
            if state == CHANGED:
                kept.append(rules.path)
            elif state != MISSING:
                also.append(f"removed {rules.path}")
        also += self._unconfigure(environment, project)
        if project is None:
            also += SERVER.unwire(disk, environment)
        done = with_sentences(super().unwire(disk, environment, project=project), also)
        done.kept += kept
        return done

    def _unconfigure(self, environment: Environment, project: str | None) -> list[str]:
        """Have Codex undo what it was asked to do; the sentences that say so."""
        keys, also = self._known_to_codex(environment), []
        if keys is None:
            return []
        with AppServer(program_of(environment), environment) as server:
            if configuration.distrust(server, keys):
                also.append("Codex forgot its trust in our hooks")
            if project is None and configuration.unguard_bus(server):
                also.append("the profile that guards the bus is removed from Codex's configuration")
        return also

    def look(self, disk: Disk, environment: Environment) -> list[Remark]:
        """Examine hooks.json and the rules, and ask Codex which of our hooks it trusts."""
        wired = self.is_wired(disk, environment, environment.directory())
        remarks = super().look(disk, environment) + SERVER.look(disk, environment, wired=wired)
        directory = environment.directory()
        if not wired:
            return remarks
        try:
            if rules_file(disk, environment, self.host.folder(environment)).state() == CHANGED:
                remarks.append(Remark(NOTE, "its rules for our command were changed by somebody"))
        except (AgentMailError, OSError) as error:
            remarks.append(
                Remark(PROBLEM, f"its rules for our command cannot be read: {error}", "look at it")
            )
        program = program_of(environment)
        if not program:
            return [*remarks, Remark(NOTE, NO_PROGRAM.format("it is not known which of our hooks it trusts"))]
        try:
            with AppServer(program, environment) as server:
                hooks = configuration.own_hooks(server, directory)
                project = configuration.trusted_project(server, directory)
        except AgentMailError as error:
            return [*remarks, Remark(NOTE, f"whether Codex trusts our hooks is not known: {error.what}")]
        return [*remarks, _trust_of(hooks), _trust_of_project(project)]

    def _wire_rules(
        self, disk: Disk, environment: Environment, options: WireOptions, wired: WireResult
    ) -> None:
        rules = rules_file(disk, environment, self.host.folder(environment))
        try:
            diff = rules.diff()
            if diff and options.dry_run:
                wired.diff = f"{wired.diff}\n{diff}" if wired.diff else diff
                wired.outcome = "would-wire"
            elif rules.wire():
                wired.also.append(f"wrote {rules.path}: calls of agentmail run outside of the sandbox")
        except Refused as error:
            wired.warnings.append(f"{error.what}; it stays as it is")

    def _configure(self, environment: Environment, options: WireOptions, wired: WireResult) -> None:
        program = program_of(environment)
        if not program:
            if options.trust or options.strict:
                wired.warnings.append(NO_PROGRAM.format("its configuration was not changed"))
            wired.warnings.append(NOT_TRUSTED)
            return
        _, directory, _ = self.host.settings_path(environment, options.project)
        with AppServer(program, environment) as server:
            if options.trust and (count := configuration.trust(server, directory)):
                wired.also.append(f"Codex trusts {count} hooks of ours now")
            if options.strict and configuration.guard_bus(server, environment.bus_path()):
                wired.also.append(
                    "Codex's sandbox keeps the bus read-only now: sessions write in their workspace only"
                )
            hooks = configuration.own_hooks(server, directory)
        if any(hook["trustStatus"] not in configuration.TRUSTED for hook in hooks):
            wired.warnings.append(NOT_TRUSTED)

    def _known_to_codex(self, environment: Environment) -> list[str] | None:
        """The keys of our hooks in Codex's configuration, if it holds anything of ours; else None."""
        program, folder = program_of(environment), self.host.folder(environment)
        try:
            with open(os.path.join(folder, "config.toml"), encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return None
        if not program or (
            f"/{self.host.file_name}:" not in text and f"permissions.{configuration.PROFILE}" not in text
        ):
            return None
        with AppServer(program, environment) as server:
            return [str(hook["key"]) for hook in configuration.own_hooks(server, environment.directory())]


def _trust_of(hooks: list[dict[str, object]]) -> Remark:
    unknown = [str(hook["eventName"]) for hook in hooks if hook["trustStatus"] not in configuration.TRUSTED]
    off = [str(hook["eventName"]) for hook in hooks if not hook.get("enabled")]
    if not hooks:
        return Remark(
            PROBLEM,
            "Codex does not list our hooks: its feature `hooks` is off",
            "`codex features enable hooks`",
        )
    if unknown:
        what = f"Codex skips our hooks at {names.printable(', '.join(unknown))}: they are not trusted"
        return Remark(PROBLEM, what, "start `codex` and review them, or `agentmail wire codex --trust`")
    if off:
        what = f"our hooks at {names.printable(', '.join(off))} are switched off in Codex"
        return Remark(PROBLEM, what, "switch them on with /hooks in `codex`")
    return Remark(NOTE, "Codex trusts our hooks")


def _trust_of_project(project: str) -> Remark:
    if project:
        return Remark(NOTE, f"Codex trusts the project {names.printable(project)}")
    return Remark(
        NOTE, "Codex does not trust this project (no need for that): hooks of its own .codex do not run"
    )


#: Codex gives a server few variables unless they are named.
VARIABLES = ["AGENT_MAIL_DIR", "AGENT_MAIL_SELF", "AGENT_MAIL_MACHINE", "AGENT_MAIL_RETENTION_DAYS"]
SERVER = ServerEntry(
    CODEX.name,
    lambda environment: os.path.join(CODEX.folder(environment), "config.toml"),
    TomlEntry({"env_vars": VARIABLES}),
    always=True,
)
INSTALL: Install = CodexInstall(CODEX, CAPABILITIES)
