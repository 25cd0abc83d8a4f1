"""Prune: remove archived and sent messages past their age, and say which."""

from __future__ import annotations

from agentmail.core import retention
from agentmail.core.errors import TryAgain
from agentmail.core.fs import reason
from agentmail.core.locks import Locked
from agentmail.core.retention import RETENTION_DAYS, retention_days
from agentmail.core.roster import open_mailbox


def prune(bus: Bus, identity: str, days_text: str | None, *, dry_run: bool = False) -> Pruned:
    """Remove what is older than `days_text` days (None: 60), or with `dry_run` only say what that would be."""
    days = RETENTION_DAYS if days_text is None else retention_days(days_text)
    with open_mailbox(bus, identity) as box:
        try:
            with Locked(box.disk, box.fd):
                chosen = retention.expired(box, days, bus.clock.now_ns())
                done = chosen if dry_run else retention.remove(box, chosen)
        except OSError as error:
            raise TryAgain(
                f"cannot read the archive of {identity}: {reason(error)}",
                "nothing was removed",
                "see `agentmail doctor`",
            ) from error
    return {
        "identity": identity,
        "days": days,
        "dry_run": dry_run,
        "removed": done.removed,
        "failed": done.failed,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Pruned
