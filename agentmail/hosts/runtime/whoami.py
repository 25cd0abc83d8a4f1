"""Whose mail a session gets. The model's own `cd` comes last, or one agent would take another's mail.

AGENT_MAIL_SELF, else what this session was bound to when it began, else the registry's workdir that holds the
directory the host was started in, else that holds the current one, else the main checkout of a git worktree.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.layout import SESSIONS
from agentmail.core.roster import mailboxes, roster
from agentmail.ledger.sessions import RECENT, read_receipts

LIMIT = 4096
#: How a session that hooks began says so in its record.
HOST = "claude-code"


def identity_of(bus: Bus, environment: Environment, session: str, machine: str, directory: str) -> str | None:
    """The identity of a session, or None for nobody; Refused where two have equal claims or the variable is bad."""
    named = environment.self_identity()
    if named:
        return named
    bound = bound_identity(bus, machine, session) if session and machine else None
    if bound:
        return bound
    known = roster(bus)
    if known.problem:
        raise TryAgain(
            known.problem, "whose mail this session gets is not known", "mend it, or set AGENT_MAIL_SELF"
        )
    started = environment.variables.get("CLAUDE_PROJECT_DIR", "")
    places = [place for place in (started, directory) if os.path.isabs(place) and "\0" not in place]
    for place in [*places, *filter(None, map(main_checkout, places))]:
        owners = known.registry.owners(place)
        if len(owners) > 1:
            raise Refused(
                f"{' and '.join(owners)} have the same workdir {names.printable(place)}",
                "no mail is shown",
                "set AGENT_MAIL_SELF to one of them",
            )
        if owners:
            return owners[0]
    return None


def bound_identity(bus: Bus, machine: str, session: str) -> str | None:
    """The identity for which a hook first began this session, by what it wrote into that mailbox's record.

    A command of the session leaves a record as well, in whatever mailbox it looks into; that binds nobody.
    """
    began: list[tuple[str, str]] = []
    for identity in mailboxes(bus):
        if os.path.exists(bus.path(identity, SESSIONS, machine, f"{session}.jsonl")):
            began += [(time, identity) for time in _times_begun(bus, identity, machine, session)]
    return min(began)[1] if began else None


def _times_begun(bus: Bus, identity: str, machine: str, session: str) -> list[str]:
    """When hooks say that they began this session for this identity; nothing where that cannot be read."""
    try:
        with bus.mailbox(identity) as box:
            found = read_receipts(box, machine, session, RECENT, sessions_only=True)
    except (OSError, AgentMailError):
        return []
    facts = found.sessions if found is not None else []
    return [str(fact.get("time", "")) for fact in facts if fact.get("host") == HOST]


def main_checkout(place: str) -> str | None:
    """The place in the main checkout that answers to `place` in a git worktree, by its .git file; no git process."""
    top = os.path.realpath(place)
    rest = ""
    while not os.path.lexists(os.path.join(top, ".git")):
        parent, name = os.path.split(top)
        if parent == top:
            return None
        top, rest = parent, os.path.join(name, rest)
    try:
        with open(os.path.join(top, ".git"), "rb") as file:
            line = os.fsdecode(file.read(LIMIT)).strip()
    except OSError:
        return None
    repository, worktrees, _ = line.removeprefix("gitdir:").strip().rpartition("/worktrees/")
    if not line.startswith("gitdir:") or not worktrees:
        return None
    checkout, name = os.path.split(os.path.normpath(os.path.join(top, repository)))
    # A bare repository has no checkout.
    return os.path.join(checkout, rest) if name == ".git" else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
