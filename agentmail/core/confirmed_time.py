"""The time up to which retention counts ages: how late it is by witnesses other than this machine's clock.

A clock can be years wrong, and then everything that is written gets its time. So the clock alone removes nothing.
Two witnesses have to agree with it: the confirmed time, which follows the clock by at most seven days at each
upkeep, and the newest file that this machine's present call did not make. An age counts up to the earliest of the three.

Why it does not follow a clock that is ahead by the retention or more, where that clock makes messages old: nothing on
this machine can tell a wrong clock from a long rest, however many hours it runs. `agentmail prune` says which it is.
Why steps otherwise: the time of the last upkeep alone would be wrong after one hour of a wrong clock.
Why it also follows backwards in steps: one call with a clock of 1970 must not stop retention for good.
"""

from __future__ import annotations

from agentmail.core import retention, stamps
from agentmail.core.layout import REGISTRY

CONFIRMED = ".confirmed"
STEP_NS = 7 * retention.DAY_NS


def follow(box: Mailbox, now: int, fresh: frozenset[str], days: int) -> int:
    """Move the confirmed time towards the clock by at most one step, and return it. Call it before the stamp is set.

    It stays where it is if the clock is ahead by more than `days` and makes messages old.
    """
    known = box.disk.stat_or_none(CONFIRMED, box.fd)
    stamp = known or box.disk.stat_or_none(retention.STAMP, box.fd)
    before = stamp.st_mtime_ns if stamp else _first(box, now, fresh)
    confirmed = before + min(max(now - before, -STEP_NS), STEP_NS)
    if now - before > days * retention.DAY_NS and retention.expired(box, days, now, fresh).removed:
        confirmed = before
    _put(box, known is None, confirmed)
    return confirmed


def confirm(box: Mailbox, now: int) -> None:
    """Set the confirmed time to the clock: a caller has removed by it all that retention would remove."""
    _put(box, not box.disk.exists(CONFIRMED, box.fd), now)


def _put(box: Mailbox, new: bool, time: int) -> None:
    if new:
        stamps.stamp(box.disk, CONFIRMED, box.fd, time)
    else:
        stamps.set_time(box.disk, CONFIRMED, box.fd, time)


def _first(box: Mailbox, now: int, fresh: frozenset[str]) -> int:
    """Where no upkeep ran yet: the earlier of the registry's time and that of the newest archived or sent message."""
    newest = retention.expired(box, retention.RETENTION_MAX, now, fresh).newest
    registry = registry_time(box)
    return min(newest or registry, registry)


def registry_time(box: Mailbox) -> int:
    """The time of the registry's last change; 0 if there is none."""
    with box.bus.open() as root:
        info = box.disk.stat_or_none(REGISTRY, root)
    return info.st_mtime_ns if info else 0


def confirmed_by_both(box: Mailbox, confirmed: int, newest: int, now: int) -> int:
    """The earliest of the clock, the confirmed time, and the newest of the files and the registry."""
    return min(now, confirmed, max(newest, registry_time(box)))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
