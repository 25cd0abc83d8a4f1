"""Which identity a session acts for. The model's own `cd` comes last, or one agent would get another's mail.

The order: AGENT_MAIL_SELF; the identity that the session was bound to when it began; the owner of the directory the
host was started in; the owner of the current directory. A git worktree belongs to the owner of its main checkout.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain
from agentmail.core.layout import SESSIONS
from agentmail.core.roster import KnownIdentities, mailboxes
from agentmail.ledger.sessions import RECENT, read_receipts


def identity_of(
    bus: Bus, environment: Environment, *, host: str, machine: str, session: str, directories: tuple[str, ...]
) -> str | None:
    """The identity of a session, or None for none; Refused where two have equal claims or the variable is bad."""
    named = environment.self_identity()
    if named:
        return named
    bound = bound_identity(bus, host, machine, session) if session and machine else None
    if bound:
        return bound
    known = KnownIdentities(bus)
    if known.problem:
        raise TryAgain(
            known.problem, "the identity of this session is not known", "fix it, or set AGENT_MAIL_SELF"
        )
    usable = [path for path in directories if os.path.isabs(path) and "\0" not in path]
    for path in usable:
        owners = known.owners(path).identities
        if len(owners) > 1:
            raise Refused(
                f"{' and '.join(owners)} have the same workdir {names.printable(path)}",
                "no mail is shown",
                "set AGENT_MAIL_SELF to one of them",
            )
        if owners:
            return owners[0]
    return None


def bound_identity(bus: Bus, host: str, machine: str, session: str) -> str | None:
    """The identity for which a hook of this host first began the session, by the record in that mailbox.

    Commands of the session write records too, in every mailbox that they look into; those do not bind it.
    """
    began: list[tuple[str, str]] = []
    for identity in mailboxes(bus):
        if os.path.exists(bus.path(identity, SESSIONS, machine, f"{session}.jsonl")):
            began += [(time, identity) for time in _times_begun(bus, identity, host, machine, session)]
    return min(began)[1] if began else None


def _times_begun(bus: Bus, identity: str, host: str, machine: str, session: str) -> list[str]:
    """When hooks recorded that they began this session for this identity; empty where that cannot be read."""
    try:
        with bus.mailbox(identity) as box:
            found = read_receipts(box, machine, session, RECENT, sessions_only=True)
    except (OSError, AgentMailError):
        return []
    facts = found.sessions if found is not None else []
    return [str(fact.get("time", "")) for fact in facts if fact.get("host") == host]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
