"""The time up to which retention counts ages: how late it is by witnesses other than this machine's clock.

A clock can be years wrong, and then everything that is written gets its time. So the clock alone removes nothing.
Two witnesses have to agree with it: the confirmed time, which follows the clock by at most seven days at each
upkeep, and the newest file that this machine's present call did not make. An age counts up to the earliest of the three.

Why steps, and not the time of the last upkeep: with a wrong clock that would be wrong after one hour. In steps, a
clock that is a year ahead has to be so during fifty hours in which the mailbox is used, with a warning in each.
Why it also follows backwards in steps: one call with a clock of 1970 must not stop retention for years.
"""

from __future__ import annotations

from agentmail.core import retention, stamps
from agentmail.core.layout import REGISTRY

CONFIRMED = ".confirmed"
STEP_NS = 7 * retention.DAY_NS


def follow(box: Mailbox, now: int, fresh: frozenset[str]) -> int:
    """Move the confirmed time towards the clock by at most one step, and return it. Call it before the stamp is set."""
    disk, known = box.disk, box.disk.stat_or_none(CONFIRMED, box.fd)
    stamp = known or disk.stat_or_none(retention.STAMP, box.fd)
    before = stamp.st_mtime_ns if stamp else _first(box, now, fresh)
    confirmed = before + min(max(now - before, -STEP_NS), STEP_NS)
    if known is None:
        stamps.stamp(disk, CONFIRMED, box.fd, confirmed)
    else:
        stamps.set_time(disk, CONFIRMED, box.fd, confirmed)
    return confirmed


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
