"""Prune: remove archived and sent messages past their age, and say which."""

from __future__ import annotations

from agentmail.core import retention
from agentmail.core.errors import TryAgain
from agentmail.core.fs import reason
from agentmail.core.locks import Locked
from agentmail.core.retention import RETENTION_DAYS, retention_days
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class Pruned(TypedDict):
    """`prune`: what was removed (with `dry_run`: what would be), as paths in the mailbox, and what failed."""

    identity: str
    days: int
    dry_run: bool
    removed: list[str]
    failed: list[str]


def prune(call: Call, identity: str, days: str | None = None, *, dry_run: bool = False) -> Pruned:
    """Remove archived and sent messages older than some days (60).

    Without `days` AGENT_MAIL_RETENTION_DAYS says how many, else 60. With `dry_run` only say what would go.
    """
    identity = call.me(identity)
    age = _age(call, days)
    with open_mailbox(call.bus, identity) as box:
        try:
            with Locked(box.disk, box.fd):
                chosen = retention.expired(box, age, call.bus.clock.now_ns())
                done = chosen if dry_run else retention.remove(box, chosen)
        except OSError as error:
            raise TryAgain(
                f"cannot read the archive of {identity}: {reason(error)}",
                "nothing was removed",
                "see `agentmail doctor`",
            ) from error
    return {
        "identity": identity,
        "days": age,
        "dry_run": dry_run,
        "removed": done.removed,
        "failed": done.failed,
    }


def _age(call: Call, days: str | None) -> int:
    if days is not None:
        return retention_days(days)
    set_days = call.environment.retention()
    if set_days is None or set_days == "off":
        return RETENTION_DAYS
    return retention_days(set_days, "AGENT_MAIL_RETENTION_DAYS: ")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
