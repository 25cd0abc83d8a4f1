"""Prune: remove archived and sent messages past their age, and say which."""

from __future__ import annotations

from contextlib import suppress

from agentmail.core import retention
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.fs import reason
from agentmail.core.locks import Locked
from agentmail.core.retention import OFF, VARIABLE, days_set, retention_days
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
    """Remove archived and sent messages older than `days`, else AGENT_MAIL_RETENTION_DAYS (a number or `off`), else 60.

    Where the variable is `off`, the days have to be given. The ages are those by this machine's clock. With `dry_run` only say what would go.
    """
    identity = call.me(identity)
    age = _age(call, identity, days)
    with open_mailbox(call.bus, identity) as box:
        try:
            with Locked(box.disk, box.fd):
                now = call.bus.clock.now_ns()
                chosen = retention.expired(box, age, now)
                done = chosen if dry_run else retention.remove(box, chosen, call.progress)
                if not dry_run and done.removed and _is_all_past_retention(call, age):
                    _confirm(box, now)
            if not dry_run and done.removed:
                done.failed += _forget_text(call, box)
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


def _is_all_past_retention(call: Call, age: int) -> bool:
    """True if no message is left that `archive` would remove by the same clock."""
    try:
        kept = days_set(call.environment.retention())
    except Refused:
        return False
    return kept is not None and age <= kept


def _confirm(box: Mailbox, now: int) -> None:
    """Let `archive` go by this clock from now on; if that fails, it goes on warning, and the removals are done."""
    from agentmail.core.confirmed_time import confirm

    with suppress(OSError):
        confirm(box, now)


def _forget_text(call: Call, box: Mailbox) -> list[str]:
    """Remove the text of what was removed from this machine's index; the failure where that is not possible."""
    from agentmail.verbs.reading import home_of
    from agentmail.views.index.file import index_of

    home = home_of(call)
    file = index_of(box, home)
    if not home or not file.exists():
        return []
    from agentmail.views.index.writing import purge

    try:
        purge(file, box)
    except OSError as error:
        return [f"{file.path}: the text of what was removed may still be in it: {reason(error)}"]
    return []


def _age(call: Call, identity: str, days: str | None) -> int:
    if days is not None:
        return retention_days(days)
    age = days_set(call.environment.retention())
    if age is None:
        raise Refused(
            f"{VARIABLE} is {OFF}, so no age is set",
            "nothing was removed",
            f"give the days: `agentmail prune {identity} 60`",
        )
    return age


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call
