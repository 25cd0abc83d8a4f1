"""The identity that a command acts for: AGENT_MAIL_SELF, else the workdir that holds the current directory."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain, UnknownIdentity
from agentmail.core.roster import KnownIdentities


def who_am_i(bus: Bus, environment: Environment) -> str:
    """AGENT_MAIL_SELF, else the identity whose workdir holds the current directory."""
    named = environment.self_identity()
    if named:
        return named
    known = KnownIdentities(bus)
    if known.problem:
        raise TryAgain(
            known.problem, names.NOTHING_CHANGED, "fix it, name the identity, or set AGENT_MAIL_SELF"
        )
    here = environment.directory()
    owners = known.registry.owners(here)
    if len(owners) == 1:
        return owners[0]
    if owners:
        raise Refused(
            f"{' and '.join(owners)} have the same workdir, which holds {names.printable(here)}",
            names.NOTHING_CHANGED,
            "name the identity, or set AGENT_MAIL_SELF",
        )
    raise UnknownIdentity(
        f"no identity is registered for {names.printable(here)}",
        names.NOTHING_CHANGED,
        "name the identity, set AGENT_MAIL_SELF, or `agentmail register <id> <workdir> <responsibility>`",
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
