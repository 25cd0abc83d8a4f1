"""Stamps and dates are UTC, whatever the zone of the process, and are read back as they were meant."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentmail.core import times
from tests.support.cli import ROOT

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: 1902 to 9999: what four digits of a year and every platform's gmtime can say.
MOMENTS = st.integers(-2_145_916_800 * 10**9, 253_402_300_799 * 10**9)


@given(MOMENTS)
def test_the_minute_is_that_of_the_calendar(moment: int) -> None:
    meant = EPOCH + timedelta(seconds=moment // 10**9)
    assert times.minute(moment) == meant.strftime("%Y%m%d-%H%M")
    assert times.seconds_of(times.minute(moment)) == moment // 10**9 // 60 * 60


@given(MOMENTS)
def test_the_date_is_that_of_the_calendar_to_the_microsecond(moment: int) -> None:
    meant = EPOCH + timedelta(microseconds=moment // 1000)
    assert datetime.fromisoformat(times.timestamp(moment)) == meant
    assert times.minute_of_timestamp(times.timestamp(moment)) == times.minute(moment)
    assert len(times.timestamp(moment)) == len("2026-07-04T09:30:12.345678Z")


@given(
    st.builds(
        "{:04}{:02}{:02}-{:02}{:02}".format,
        st.integers(1, 9999),
        st.integers(0, 13),
        st.integers(0, 32),
        st.integers(0, 25),
        st.integers(0, 61),
    )
)
@example("20260229-0000")
@example("20240229-0000")
@example("20260431-0000")
@example("19000229-0000")
@example("20000229-0000")
def test_a_stamp_is_a_minute_of_the_calendar_or_none(stamp: str) -> None:
    try:
        meant = datetime.strptime(stamp, "%Y%m%d-%H%M").replace(tzinfo=UTC)
    except ValueError:
        assert times.seconds_of(stamp) is None
    else:
        assert times.seconds_of(stamp) == int((meant - EPOCH).total_seconds())


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Europe/Berlin", "America/St_Johns"])
def test_the_zone_of_the_process_does_not_matter(zone: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from agentmail.core import times; print(times.minute(1792888740 * 10**9))"],
        env={**os.environ, "TZ": zone, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "20261025-0039", done.stderr
