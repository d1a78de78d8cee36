"""Relative dates, seen from a page's own date."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.extract.relative import absolute_dates

MONDAY = date(2026, 3, 16)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("last Friday", "2026-03-13"),
        ("last Monday", "2026-03-09"),
        ("this Friday", "2026-03-20"),
        ("Yesterday", "2026-03-15"),
        ("tomorrow at 10:30", "2026-03-17 at 10:30"),
        ("the day before yesterday", "2026-03-14"),
        ("the day after tomorrow", "2026-03-18"),
        ("two weeks ago", "2026-03-02"),
        ("a month ago", "2026-02-16"),
        ("in 3 days", "2026-03-19"),
        ("from yesterday to today", "from 2026-03-15 to 2026-03-16"),
    ],
)
def test_what_has_one_meaning_becomes_a_date(text: str, due: str) -> None:
    """The date of the page decides, and the rest of the text stays."""
    assert absolute_dates(text, MONDAY) == due


@pytest.mark.parametrize(
    "text",
    ["next Friday", "Friday", "mornings", "2026-03-16", "last year's price", "todays", "last"],
)
def test_what_has_none_or_several_stays(text: str) -> None:
    """A date, a weekday alone and "next Friday" are left as they are written."""
    assert absolute_dates(text, MONDAY) == text


def test_months_end_where_they_end() -> None:
    """A month before the 31st of March is the last day of February."""
    assert absolute_dates("a month ago", date(2026, 3, 31)) == "2026-02-28"
    assert absolute_dates("a year ago", date(2024, 2, 29)) == "2023-02-28"


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.sampled_from(["monday", "Sunday"]))
def test_last_weekday_is_within_a_week_before(day: date, weekday: str) -> None:
    """The last X is the latest X that is over: one to seven days before, on that weekday."""
    found = date.fromisoformat(absolute_dates(f"last {weekday}", day))
    assert timedelta(1) <= day - found <= timedelta(7)
    assert found.weekday() == (0 if weekday == "monday" else 6)


@given(st.text(max_size=60), st.dates(date(1970, 1, 1), date(2100, 1, 1)))
def test_making_absolute_is_done_once(text: str, day: date) -> None:
    """What was made absolute stays as it is."""
    once = absolute_dates(text, day)
    assert absolute_dates(once, day + timedelta(1)) == once
