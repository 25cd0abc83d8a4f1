"""The identity that a command acts for: AGENT_MAIL_SELF, else the workdir that holds the current directory.

A git worktree belongs to the owner of its main checkout.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain, UnknownIdentity
from agentmail.core.roster import KnownIdentities

BY_VARIABLE, BY_WORKDIR, BY_WORKTREE = "AGENT_MAIL_SELF", "workdir", "main-checkout"


class Decision:
    """An identity, how it was decided, and the main checkout where that decided."""

    __slots__ = ("checkout", "how", "identity")

    def __init__(self, identity: str, how: str, checkout: str = "") -> None:
        self.identity = identity
        self.how = how
        self.checkout = checkout


def who_am_i(bus: Bus, environment: Environment) -> str:
    """AGENT_MAIL_SELF, else the identity whose workdir holds the current directory."""
    return decide(bus, environment).identity


def decide(bus: Bus, environment: Environment) -> Decision:
    """The identity and how it was decided; an error where there is none, or more than one."""
    named = environment.self_identity()
    if named:
        return Decision(named, BY_VARIABLE)
    known = KnownIdentities(bus)
    if known.problem:
        with bus.open():
            pass  # Refused where the bus is no directory: no identity helps then
        raise TryAgain(
            known.problem, names.NOTHING_CHANGED, "fix it, name the identity, or set AGENT_MAIL_SELF"
        )
    here = environment.directory()
    owners = known.owners(here)
    if len(owners.identities) == 1:
        return Decision(owners.identities[0], BY_WORKTREE if owners.checkout else BY_WORKDIR, owners.checkout)
    if owners.identities:
        raise Refused(
            f"{' and '.join(owners.identities)} have the same workdir, which holds {names.printable(here)}",
            names.NOTHING_CHANGED,
            f"name the identity, or set AGENT_MAIL_SELF, such as `export AGENT_MAIL_SELF={owners.identities[0]}`",
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
