"""Times as text: the minute of an id, the date of a header, both in UTC.

Why no `datetime` or `calendar`: importing either takes longer than sending a message.
"""

from __future__ import annotations

import time

SECOND_NS = 10**9
#: The number of days is computed once for each date: thousands of messages come from few dates.
DAYS_KEPT = 1000
_known_days: dict[str, int | None] = {}


def minute(moment: int) -> str:
    """The stamp of an id, such as 20260704-0930, of a moment in nanoseconds."""
    return time.strftime("%Y%m%d-%H%M", time.gmtime(moment // SECOND_NS))


def timestamp(moment: int) -> str:
    """A moment in nanoseconds as ISO 8601 to the microsecond, such as 2026-07-04T09:30:12.345678Z."""
    seconds, rest = divmod(moment, SECOND_NS)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06}Z"


def minute_of_timestamp(date: str) -> str:
    """The stamp of the minute of a timestamp of ours."""
    return f"{date[:4]}{date[5:7]}{date[8:10]}-{date[11:13]}{date[14:16]}"


def seconds_of(stamp: str) -> int | None:
    """A stamp as seconds since the epoch, or None if there is no such minute."""
    if not stamp:
        return None
    day = stamp[:8]
    if day not in _known_days:
        if len(_known_days) >= DAYS_KEPT:
            _known_days.clear()
        _known_days[day] = _days_to(day)
    days, hour, minutes = _known_days[day], int(stamp[9:11]), int(stamp[11:13])
    if days is None or hour > 23 or minutes > 59:
        return None
    return (days * 24 + hour) * 3600 + minutes * 60


def seconds_since(now: int, minute: str, stamped: int | None, date: str) -> int | None:
    """Seconds since the date of a header, where the minute of the name is not another one; else since that minute.

    `stamped` is that minute in seconds; None if neither says a time.
    """
    seconds = stamped
    if date:
        dated = minute_of_timestamp(date)
        if dated == minute:
            seconds = None if stamped is None else stamped + int(date[17:19])
        elif stamped is None:
            exact = seconds_of(dated)
            seconds = None if exact is None else exact + int(date[17:19])
    return None if seconds is None else now - seconds


def _days_to(day: str) -> int | None:
    """Days from 1970-01-01 to a day such as 20260704, or None if there is no such day."""
    year, month, number = int(day[:4]), int(day[4:6]), int(day[6:8])
    if not (1 <= month <= 12 and 1 <= number <= 31):
        return None
    days = _days(year, month, number)
    if number > 28 and days >= _days(year + month // 12, month % 12 + 1, 1):
        return None
    return days


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, days_from_civil)."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
