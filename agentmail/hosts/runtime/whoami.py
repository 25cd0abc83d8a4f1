"""Which identity a session acts for. The model's own `cd` comes last, or one agent would get another's mail.

The order: AGENT_MAIL_SELF; the identity that the session was bound to when it began; the owner of the directory the
host was started in; the owner of the current directory. A git worktree belongs to the owner of its main checkout.
"""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.errors import AgentMailError, Refused
from agentmail.core.layout import SESSIONS
from agentmail.core.roster import KnownIdentities, mailboxes
from agentmail.ledger.sessions import RECENT, read_receipts

#: The owners of one workdir that are named; the registry may hold any number.
NAMED = 5


class Undecided(AgentMailError):
    """The identity of a session cannot be determined. The text has no value and no path: it goes before the model."""


def identity_of(
    bus: Bus,
    environment: Environment,
    *,
    host: str,
    machine: str,
    session: str,
    directories: tuple[str, ...],
    home: str,
) -> str | None:
    """The identity of a session, or None for none; Undecided where two have equal claims or the variable is bad."""
    try:
        named = environment.self_identity()
    except Refused:
        raise Undecided(
            "AGENT_MAIL_SELF is not the name of an identity",
            "no mail is shown",
            "set it to one of `agentmail roster`, or unset it",
        ) from None
    if named:
        return named
    bound = bound_identity(bus, host, machine, session, home) if session and machine else None
    if bound:
        return bound
    known = KnownIdentities(bus)
    if known.problem:
        raise Undecided(
            "registry.md cannot be read",
            "the identity of this session is not known",
            "`agentmail doctor` says why; or set AGENT_MAIL_SELF",
        )
    return _owner_of(known, [path for path in directories if system.is_absolute(path) and "\0" not in path])


def _owner_of(known: KnownIdentities, directories: list[str]) -> str | None:
    """The identity of the first directory that has one; Undecided where that has several."""
    for path in directories:
        owners = known.owners(path).identities
        if len(owners) > 1:
            more = f" and {len(owners) - NAMED} more" if len(owners) > NAMED else ""
            raise Undecided(
                f"{' and '.join(owners[:NAMED])}{more} have the same workdir",
                "no mail is shown",
                "set AGENT_MAIL_SELF to one of them",
            )
        if owners:
            return owners[0]
    return None


def bound_identity(bus: Bus, host: str, machine: str, session: str, home: str) -> str | None:
    """The identity for which a hook of this host first began the session, by the record in that mailbox.

    Commands of the session write records too, in every mailbox that they look into; those do not bind it. What this
    machine kept for itself comes first, unless that identity is gone: a record can come, and be moved, with the bus.
    """
    began: list[tuple[str, str]] = []
    for identity in mailboxes(bus):
        if system.exists(bus.path(identity, SESSIONS, machine, f"{session}.jsonl")):
            began += [(time, identity) for time in _times_begun(bus, identity, host, machine, session)]
    if not began:
        return None
    if home:
        from agentmail.hosts.runtime.throttle import BOUND, recall

        kept = recall(bus.disk, home, bus.root, session, BOUND)
        if kept in {identity for _, identity in began} or (kept and kept in KnownIdentities(bus).rows):
            return kept
    return min(began)[1]


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
